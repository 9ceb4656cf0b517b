import { expected } from '../../foundation/base/errors.js'
import { missing } from '../../foundation/base/missing.js'
import type * as node from './embedded-node.js'
import { inMemory } from './pglite.js'
import { withReaders } from './readers.js'

/** Opens PGlite in memory, in this thread. Browsers have no folders. */
export const openEmbedded: typeof node.openEmbedded = async (folder) => {
  if (folder !== undefined) {
    const fix = 'a connection, or a URL that begins with postgres:// or memory:'
    throw expected('CONFIG_INVALID', 'store', fix, 'a folder')
  }
  const { PGlite } = await pglitePackage()
  const connection = await PGlite.create(inMemory(PGlite.defaultStartParams))
  return { connection: withReaders(connection), close: () => connection.close() }
}

async function pglitePackage() {
  try {
    return await import('@electric-sql/pglite')
  } catch (cause) {
    throw missing('@electric-sql/pglite', cause)
  }
}
