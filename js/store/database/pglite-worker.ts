// Worker thread of an embedded database. A statement of several seconds here does not block the main thread,
// which can still answer a broker.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import type { ThreadAnswer, ThreadRequest } from './embedded-node.js'
import { inMemory } from './pglite.js'
import { withReaders } from './readers.js'

const { folder } = workerData as { readonly folder: string | undefined }
const place = folder === undefined ? inMemory(PGlite.defaultStartParams) : { dataDir: folder }
const database = await PGlite.create({ ...place, ...(await madeAlready()) })
const connection = withReaders(database)

parentPort?.on('message', async ({ id, text, params }: ThreadRequest) => {
  parentPort?.postMessage({ id, ...(await answerTo(text, params)) } satisfies ThreadAnswer)
})

async function answerTo(
  text: string | undefined,
  params: unknown[] | undefined,
): Promise<Omit<ThreadAnswer, 'id'>> {
  try {
    if (text !== undefined && params) return { rows: [(await connection.query(text, params)).rows] }
    if (text !== undefined) return { rows: await connection.queryAll([[text]]) }
    await database.close()
    return { rows: [] }
  } catch (error) {
    const { message, code } = error as { message: string; code?: string }
    // Copy the properties of the error, because an error that is posted between threads keeps only its text.
    return { error: { message, code } }
  }
}

/** Returns the files of an empty database if their package is installed, because creating them takes 5 to 8 s. */
async function madeAlready(): Promise<{ loadDataDir: Blob } | undefined> {
  if (folder !== undefined && existsSync(join(folder, 'PG_VERSION'))) return undefined
  try {
    const { dataDir } = await import('@electric-sql/pglite-prepopulatedfs')
    return { loadDataDir: await dataDir() }
  } catch {
    return undefined
  }
}
