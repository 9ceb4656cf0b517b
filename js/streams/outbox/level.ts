import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClassicLevel } from 'classic-level'
import { type AlvariumError, codeOf, expected } from '../../base/errors.js'
import { filesIn } from './folder.js'

/** LevelDB, as an outbox uses it. */
export type Level = ClassicLevel<string, Uint8Array>

/** As many digits as the largest safe integer has, so that keys sort as their numbers do. */
const DIGITS = 16
const KEY = /^\d{16}$/
/** The key of the largest number. */
export const LAST_KEY = '9'.repeat(DIGITS)

export function keyOf(number: number): string {
  return String(number).padStart(DIGITS, '0')
}

/** Returns the number of a record's key, from 1 on; undefined for a key of another program. */
export function numberOfKey(key: string): number | undefined {
  const number = KEY.test(key) ? Number(key) : 0
  return number > 0 ? number : undefined
}

/** Opens what is in a folder, and takes its lock. @throws AlvariumError `STORE_LOCKED`, `STORE_DAMAGED`, `STORE_FAILED`, `CONFIG_INVALID` */
export async function openLevel(folder: string): Promise<Level> {
  const { ClassicLevel } = await load()
  const level: Level = new ClassicLevel(folder, {
    keyEncoding: 'utf8',
    valueEncoding: 'view',
    // Signatures and hashes do not compress; and what is damaged is found by its plain bytes.
    compression: false,
  })
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await level.open()
    return level
  } catch (error) {
    throw unopened(folder, error, await isListMissing(folder))
  }
}

/**
 * Looks whether another has a folder open, and touches nothing in it: LevelDB takes the lock, finds that it may neither open what is
 * there nor make a new database, and releases the lock.
 *
 * @throws AlvariumError `STORE_LOCKED`, `CONFIG_INVALID`
 */
export async function assertUnlocked(folder: string): Promise<void> {
  const { ClassicLevel } = await load()
  const level = new ClassicLevel(folder, { createIfMissing: false, errorIfExists: true })
  await level.open().catch((error) => {
    if (codeOf(causeOf(error)) === 'LEVEL_LOCKED') throw unopened(folder, error, false)
  })
}

/**
 * Has one process at a time do something with the files of a store that is not open yet. The lock is that of a database with nothing
 * in it: the system releases it when the process ends, however that is.
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
    const alone = `to be the only one that has ${folder} open`
    throw expected('STORE_LOCKED', 'store', alone, 'another that is opening it', cause)
  }
}

/** A damaged one has nothing to lose. The file that is locked stays: another that is made would be another lock. */
async function openCleared(place: string, error: unknown): Promise<Level> {
  if (codeOf(error) !== 'STORE_DAMAGED') throw error
  for (const name of await filesIn(place)) await rm(join(place, name), { force: true })
  return openLevel(place)
}

/** What LevelDB says is damaged, in our words; other failures stay as they are. */
export function damaged(error: unknown): unknown {
  const cause = causeOf(error)
  if (codeOf(cause) !== 'LEVEL_CORRUPTION') return error
  return expected('STORE_DAMAGED', 'store', 'what was stored', undefined, cause)
}

async function load(): Promise<typeof import('classic-level')> {
  try {
    return await import('classic-level')
  } catch (cause) {
    const beside = 'the package classic-level beside alvarium-sdk (npm install classic-level)'
    throw expected('CONFIG_INVALID', 'store', beside, 'none', cause)
  }
}

/** CURRENT names the list of all other files; if that is missing, LevelDB only says that it could not read it. */
async function isListMissing(folder: string): Promise<boolean> {
  try {
    const names = await filesIn(folder)
    const current = names.includes('CURRENT') && (await readFile(join(folder, 'CURRENT'), 'latin1'))
    return current !== false && !names.includes(current.trimEnd())
  } catch {
    // LevelDB's own error says why.
    return false
  }
}

function unopened(folder: string, error: unknown, isDamaged: boolean): AlvariumError {
  const cause = causeOf(error)
  if (codeOf(cause) === 'LEVEL_LOCKED') {
    const alone = `to be the only one that has ${folder} open`
    return expected('STORE_LOCKED', 'store', alone, 'one that is in use', cause)
  }
  const code = isDamaged || codeOf(cause) === 'LEVEL_CORRUPTION' ? 'STORE_DAMAGED' : 'STORE_FAILED'
  return expected(code, 'store', `a folder that can be opened at ${folder}`, undefined, cause)
}

function causeOf(error: unknown): unknown {
  return (error as { cause?: unknown }).cause ?? error
}
