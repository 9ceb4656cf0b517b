/** PostgreSQL inside this process (PGlite: the server itself, in WebAssembly), on 127.0.0.1 only: it needs no installation. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { dataDir } from '@electric-sql/pglite-prepopulatedfs'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'

/** @returns {Promise<{ url: string, close: () => Promise<void> }>} */
export async function startPostgres() {
  // An empty database that is made already; to make one takes ten times as long.
  const db = await PGlite.create({ loadDataDir: await dataDir() })
  const server = new PGLiteSocketServer({ db, port: 0, maxConnections: 10 })
  await server.start()
  const close = async () => {
    await server.stop()
    // For connections that have just ended, it asks the database in the next turn whether they left a transaction.
    await nextTurn()
    await db.close()
  }
  return { url: `postgres://postgres@${server.getServerConn()}/postgres`, close }
}
