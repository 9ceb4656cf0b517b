// Runs PostgreSQL in WebAssembly (PGlite) as a process on 127.0.0.1, without an installation. Prints its URL.
// Ends with its parent process, and then loses all data.

import { PGlite } from '@electric-sql/pglite'
import { dataDir } from '@electric-sql/pglite-prepopulatedfs'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

// Load a prepared empty database, because creating one takes ten times as long.
const db = await PGlite.create({ loadDataDir: await dataDir() })
const server = new PGLiteSocketServer({ db, port: 0, maxConnections: 10 })
await server.start()
console.log(`postgres://postgres@${server.getServerConn()}/postgres`)
process.stdin.resume().once('end', () => process.exit())
