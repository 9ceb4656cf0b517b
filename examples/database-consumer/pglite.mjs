// PostgreSQL as a process: PGlite, the server itself in WebAssembly, on 127.0.0.1 only. It needs no installation.
// Says its URL, and ends with whoever started it. What it holds is gone then.

import { PGlite } from '@electric-sql/pglite'
import { dataDir } from '@electric-sql/pglite-prepopulatedfs'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

// An empty database that is made already; to make one takes ten times as long.
const db = await PGlite.create({ loadDataDir: await dataDir() })
const server = new PGLiteSocketServer({ db, port: 0, maxConnections: 10 })
await server.start()
console.log(`postgres://postgres@${server.getServerConn()}/postgres`)
process.stdin.resume().once('end', () => process.exit())
