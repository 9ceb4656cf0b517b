import { statfs } from 'node:fs/promises'
import { AlvariumError } from '../base/errors.js'
import { gapsOf } from './gaps.js'
import { assertUnlocked, keyOf, type Level, numberOfKey, openLevel } from './level.js'
import { readMark } from './mark.js'
import { readRecord } from './record.js'
import { carvedIn, Salvage, type Salvaged } from './salvage.js'

/** What LevelDB needs to open itself: it writes its log, of at most 4 MiB, anew. */
export const ROOM_TO_OPEN = 16 * 1024 * 1024
/** Bytes that are stored anew at a time. */
const MOST_BYTES = 1024 * 1024

/** The keys of a database: ours, in order, and how many others there are. */
interface Keys {
  readonly numbers: readonly number[]
  readonly foreign: number
}

const NO_KEYS: Keys = { numbers: [], foreign: 0 }

/** A database with all that could be salvaged; or without room to open one, the records that are there to be read. */
export interface Opened extends Keys {
  readonly level?: Level
  readonly records?: Map<number, Uint8Array>
  readonly mark: Uint8Array | undefined
}

/**
 * Opens the database in a folder and looks for records that should be there and are not. What is still among its files is put
 * back; a database that cannot be opened, or read to its end, is begun anew with what was.
 *
 * @throws AlvariumError `STORE_LOCKED`, `STORE_DAMAGED`, `STORE_FAILED`, `CONFIG_INVALID`
 */
export async function openWhole(folder: string, mark: Uint8Array | undefined): Promise<Opened> {
  let salvage: Salvage | undefined
  let level: Level | undefined
  try {
    // What another is writing looks damaged.
    await assertUnlocked(folder)
    salvage = await Salvage.of(folder)
    await salvage.removeUnsafe()
    level = await openLevel(folder)
    const keys = await keysOf(level, mark)
    if (isWhole(keys, mark) && !(await salvage.isLeft())) {
      await salvage.end()
      return { level, ...keys, mark }
    }
    return await completed(salvage, level, keys, mark)
  } catch (error) {
    await level?.close()
    if (isOthers(error)) {
      await salvage?.leave()
      throw error
    }
    if ((await freeIn(folder)) < ROOM_TO_OPEN) return await readOnly(folder, mark, error)
    if (!salvage) throw error
    return await begunAnew(salvage, mark, error)
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

/** @throws what LevelDB says of a table that it cannot read */
export async function keysOf(level: Level, mark?: Uint8Array): Promise<Keys> {
  const numbers: number[] = []
  let foreign = 0
  for await (const key of level.keys()) {
    const number = numberOfKey(key)
    if (number === undefined) foreign++
    else numbers.push(number)
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
function isWhole({ numbers }: Keys, bytes: Uint8Array | undefined): boolean {
  const mark = readMark(bytes)
  // One that is damaged may be intact elsewhere.
  if (bytes && !mark) return false
  const first = mark ? mark.settled + 1 : numbers[0]
  const last = Math.max(mark?.last ?? 0, numbers.at(-1) ?? 0)
  if (first === undefined) return false
  return gapsOf(numbers, first, last).length === 0
}

/** With what is missing, if it is still there. */
async function completed(
  salvage: Salvage,
  level: Level,
  { numbers }: Keys,
  given: Uint8Array | undefined,
): Promise<Opened> {
  const carved = await salvage.carved()
  const mark = readMark(given) ? given : carved.mark
  // Without a mark, what is older than the first may have been delivered long ago.
  const settled = readMark(mark)?.settled ?? (numbers[0] ?? 1) - 1
  const there = new Set(numbers)
  await fill(level, carved, (number) => number > settled && !there.has(number))
  await salvage.end()
  return { level, ...(await keysOf(level, mark)), mark }
}

/** With all that could be salvaged. */
async function begunAnew(salvage: Salvage, given: Uint8Array | undefined, error: unknown): Promise<Opened> {
  const carved = await salvage.carved()
  const mark = readMark(given) ? given : carved.mark
  // What nothing of ours is in may be somebody else's.
  if (!mark && carved.records.size === 0) {
    await salvage.leave()
    throw nothingOfOurs(error)
  }
  const level = await salvage.startAnew()
  try {
    return await completed(salvage, level, NO_KEYS, mark)
  } catch (failure) {
    await level.close()
    throw failure
  }
}

/** What can be sent although the disk is full. */
async function readOnly(folder: string, given: Uint8Array | undefined, error: unknown): Promise<Opened> {
  const carved = await carvedIn([folder])
  const mark = readMark(given) ? given : carved.mark
  const { settled = 0 } = readMark(mark) ?? {}
  const numbers = [...carved.records.keys()]
    .filter((number) => number > settled)
    .sort((one, other) => one - other)
  // What is missing may only be out of reach until there is room.
  if (!mark || !isWhole({ numbers, foreign: 0 }, mark)) throw error
  const records = new Map(numbers.map((number) => [number, carved.records.get(number) as Uint8Array]))
  return { records, numbers, foreign: 0, mark }
}

async function fill(
  level: Level,
  { records }: Salvaged,
  isWanted: (number: number) => boolean,
): Promise<void> {
  let some: [number, Uint8Array][] = []
  let bytes = 0
  for (const [number, record] of records) {
    if (!isWanted(number)) continue
    some.push([number, record])
    bytes += record.length
    if (bytes < MOST_BYTES) continue
    await put(level, some)
    some = []
    bytes = 0
  }
  if (some.length > 0) await put(level, some)
}

function nothingOfOurs(error: unknown): unknown {
  if (!(error instanceof AlvariumError) || error.code !== 'STORE_DAMAGED') return error
  const text = `${error.message}; no message is left in its files: move them away, or name another folder`
  return new AlvariumError('STORE_DAMAGED', text, { cause: error })
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
