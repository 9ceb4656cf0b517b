import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AlvariumError } from '../base/errors.js'
import { filesIn } from './folder.js'
import { type Level, openLevel } from './level.js'

/**
 * Has one process at a time do something with the files of a store that is not open yet. The lock is that of a database with nothing
 * in it: the system lets go of it when the process ends, however that is.
 *
 * @throws AlvariumError `STORE_LOCKED` when another is at it
 */
export async function aloneIn<Result>(folder: string, act: () => Promise<Result>): Promise<Result> {
  const lock = await lockIn(folder)
  try {
    return await act()
  } finally {
    await lock.close()
  }
}

async function lockIn(folder: string): Promise<Level> {
  const place = join(folder, 'opening')
  try {
    return await openLevel(place).catch((error) => openCleared(place, error))
  } catch (cause) {
    if (codeOf(cause) !== 'STORE_LOCKED') throw cause
    const text = `store: expected to be the only one that has ${folder} open, got another that is opening it`
    throw new AlvariumError('STORE_LOCKED', text, { cause })
  }
}

/** A damaged one has nothing to lose. The file that is locked stays: another that is made would be another lock. */
async function openCleared(place: string, error: unknown): Promise<Level> {
  if (codeOf(error) !== 'STORE_DAMAGED') throw error
  for (const name of await filesIn(place)) await rm(join(place, name), { force: true })
  return openLevel(place)
}

function codeOf(error: unknown): unknown {
  return error instanceof AlvariumError ? error.code : undefined
}
