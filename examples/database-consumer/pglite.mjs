// Runs PostgreSQL as a process: PGlite, the server itself in WebAssembly, on 127.0.0.1 only. Needs no installation.
// Prints its URL, and ends with its parent process. Its data are then lost.

import { PGlite } from '@electric-sql/pglite'
import { dataDir } from '@electric-sql/pglite-prepopulatedfs'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

// Load a prepared empty database; creating one takes ten times as long.
const db = await PGlite.create({ loadDataDir: await dataDir() })
const server = new PGLiteSocketServer({ db, port: 0, maxConnections: 10 })
await server.start()
console.log(`postgres://postgres@${server.getServerConn()}/postgres`)
process.stdin.resume().once('end', () => process.exit())
