import { statfs } from 'node:fs/promises'
import { AlvariumError, textOf } from '../../base/errors.js'
import { CarvedRecords } from './carve.js'
import { aloneIn, assertUnlocked, damaged, keyOf, type Level, numberOfKey, openLevel } from './level.js'
import { EMPTY, expectedBy, gapsOf, readMark, without } from './mark.js'
import { readRecord } from './record.js'
import { Salvage, salvagesIn } from './salvage.js'

/** What LevelDB needs to open itself: it writes its log, of at most 4 MiB, anew. */
export const ROOM_TO_OPEN = 16 * 1024 * 1024
/** Bytes that are stored again at a time: LevelDB gets them in one call, which takes some milliseconds. */
const MOST_BYTES = 256 * 1024

/** The keys of a database: ours, in order, and how many others there are. */
interface DatabaseKeys {
  readonly numbers: readonly number[]
  readonly foreign: number
}

/** A database with all that could be salvaged; or without room to open one, the records that are there to be read. */
export interface SalvagedDatabase extends DatabaseKeys {
  readonly level?: Level
  readonly records?: CarvedRecords
  readonly mark: Uint8Array | undefined
  /** See {@link CarvedRecords.unchecked}. */
  readonly unchecked?: number
}

/**
 * Opens the database in a folder and looks for records that should be there and are not. What is still among its files is put
 * back; a database that LevelDB calls damaged is begun anew with what was. When anything else goes wrong, everything stays as it is.
 *
 * @throws AlvariumError `STORE_LOCKED`, `STORE_DAMAGED`, `STORE_FAILED`, `CONFIG_INVALID`
 */
export async function openWhole(folder: string, mark: Uint8Array | undefined): Promise<SalvagedDatabase> {
  try {
    return await aloneIn(folder, async () => {
      // What another is writing looks damaged.
      await assertUnlocked(folder)
      return await openSalvaging(await Salvage.of(folder), folder, mark)
    })
  } catch (error) {
    if (isOthers(error) || (await freeIn(folder)) >= ROOM_TO_OPEN) throw error
    return await readOnly(folder, mark, error)
  }
}

async function openSalvaging(
  salvage: Salvage,
  folder: string,
  mark: Uint8Array | undefined,
): Promise<SalvagedDatabase> {
  let level: Level
  try {
    await salvage.removeUnsafe()
    level = await openLevel(folder)
  } catch (error) {
    if (isDamage(error)) return await begunAnew(salvage, mark, error)
    // What it could not put back, it keeps.
    await salvage.leave().catch(() => {})
    throw error
  }
  try {
    const keys = await keysOf(level, mark)
    if (!isWhole(keys, mark) || salvage.isLeft) return await completed(salvage, level, keys, mark)
    await salvage.end()
    return { level, ...keys, mark }
  } catch (error) {
    await level.close()
    if (isDamage(error)) return await begunAnew(salvage, mark, error)
    throw keptBy(salvage, error)
  }
}

/** How many bytes are free on the disk of a folder. */
export async function freeIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/** Stores records under their numbers. Chained, they cross into native code without an object each: 75,000 instead of 20,000 records/s. */
export async function put(level: Level, records: Iterable<readonly [number, Uint8Array]>): Promise<void> {
  const batch = level.batch()
  for (const [number, record] of records) batch.put(keyOf(number), record)
  await batch.write({ sync: true })
}

/** @throws what LevelDB says of a table that it cannot read; AlvariumError `STORE_DAMAGED` if it calls that damaged */
async function keysOf(level: Level, mark?: Uint8Array): Promise<DatabaseKeys> {
  const numbers: number[] = []
  let foreign = 0
  try {
    for await (const key of level.keys()) {
      const number = numberOfKey(key)
      if (number === undefined) foreign++
      else numbers.push(number)
    }
  } catch (error) {
    throw damaged(error)
  }
  // What is not marked as stored may have anything under it.
  const last = readMark(mark)?.last ?? Number.POSITIVE_INFINITY
  for (let newest = numbers.at(-1) ?? 0; newest > last; newest = numbers.at(-1) ?? 0) {
    if (isRecord(newest, await level.get(keyOf(newest)))) break
    numbers.pop()
    foreign++
  }
  return { numbers, foreign }
}

/** Whether nothing is missing, as far as that can be told. */
function isWhole({ numbers }: DatabaseKeys, bytes: Uint8Array | undefined): boolean {
  const mark = readMark(bytes)
  // One that is damaged may be intact elsewhere.
  if (bytes && !mark) return false
  const first = mark ? mark.settled + 1 : numbers[0]
  const last = Math.max(mark?.last ?? 0, numbers.at(-1) ?? 0)
  if (first === undefined) return false
  const { gone } = mark ?? EMPTY
  return gapsOf(numbers, first, last).every((gap) => without(gap, gone).length === 0)
}

/** With what is missing, if it is still there. */
async function completed(
  salvage: Salvage,
  level: Level,
  { numbers }: DatabaseKeys,
  given: Uint8Array | undefined,
): Promise<SalvagedDatabase> {
  const there = new Set(numbers)
  const isExpected = expectedBy(readMark(given))
  const isMissing = (number: number) => isExpected(number) && !there.has(number)
  const found = await CarvedRecords.in(salvage.folders, isMissing)
  // Without a mark, what is older than the first may have been delivered long ago.
  return await filled(salvage, level, found, { given, settledBefore: (numbers[0] ?? 1) - 1 })
}

/** With all that could be salvaged. */
async function begunAnew(
  salvage: Salvage,
  given: Uint8Array | undefined,
  error: unknown,
): Promise<SalvagedDatabase> {
  let level: Level | undefined
  try {
    const found = await CarvedRecords.in(salvage.folders, expectedBy(readMark(given)))
    // What nothing of ours is in may be somebody else's.
    if (!readMark(given) && !found.mark && found.size === 0) {
      await salvage.leave()
      return Promise.reject(nothingOfOurs(error))
    }
    level = await salvage.startAnew()
    return await filled(salvage, level, found, { given, settledBefore: 0 })
  } catch (failure) {
    await level?.close()
    throw keptBy(salvage, failure)
  }
}

/** With what was found, which is then no longer needed elsewhere. */
async function filled(
  salvage: Salvage,
  level: Level,
  found: CarvedRecords,
  { given, settledBefore }: { given: Uint8Array | undefined; settledBefore: number },
): Promise<SalvagedDatabase> {
  // A damaged mark says that there was one.
  const mark = readMark(given) ? given : (found.mark ?? given)
  found.forgetThrough(readMark(mark)?.settled ?? settledBefore)
  await fill(level, found)
  const keys = await keysOf(level, mark)
  await salvage.end()
  return { level, ...keys, mark, unchecked: found.unchecked }
}

/** What can be sent although the disk is full. */
async function readOnly(
  folder: string,
  given: Uint8Array | undefined,
  error: unknown,
): Promise<SalvagedDatabase> {
  const records = await CarvedRecords.in([folder, ...(await salvagesIn(folder))], () => true)
  const mark = readMark(given) ? given : records.mark
  records.forgetThrough(readMark(mark)?.settled ?? 0)
  const numbers = records.numbers()
  // What is missing may only be out of reach until there is room.
  if (!mark || !isWhole({ numbers, foreign: 0 }, mark)) throw error
  return { records, numbers, foreign: 0, mark, unchecked: records.unchecked }
}

async function fill(level: Level, found: CarvedRecords): Promise<void> {
  let some: [number, Uint8Array][] = []
  let bytes = 0
  for await (const [number, record] of found.records()) {
    some.push([number, record])
    bytes += record.length
    if (bytes < MOST_BYTES) continue
    await put(level, some)
    some = []
    bytes = 0
  }
  if (some.length > 0) await put(level, some)
}

/** LevelDB has tidied up since, or was about to begin anew: what was there before is kept for the next attempt. */
function keptBy({ folders: [folder] }: Salvage, error: unknown): unknown {
  if (isOthers(error) || folder === undefined) return error
  const text = `store: expected to open it, got: ${textOf(error)}; its files as they were are in ${folder}, for the next attempt`
  return new AlvariumError('STORE_FAILED', text, { cause: error })
}

function nothingOfOurs(error: unknown): unknown {
  const text = `${textOf(error)}; no message is left in its files: move them away, or name another folder`
  return new AlvariumError('STORE_DAMAGED', text, { cause: error })
}

function isDamage(error: unknown): boolean {
  return error instanceof AlvariumError && error.code === 'STORE_DAMAGED'
}

/** Whose the place is, or what LevelDB is not there for, is no damage. */
function isOthers(error: unknown): boolean {
  return error instanceof AlvariumError && ['STORE_LOCKED', 'CONFIG_INVALID'].includes(error.code)
}

function isRecord(number: number, record: Uint8Array | undefined): boolean {
  try {
    return record !== undefined && readRecord(number, record) !== undefined
  } catch {
    return false
  }
}
