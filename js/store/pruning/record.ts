import { isSame } from '../../base/bytes/same.js'
import { leafHash } from '../../core/hashing.js'
import type { Range } from './ranges.js'

// crate/FORMAT.md, Logs of stores

/** What one transaction has pruned. An entry of the log has it by its id, so that nobody can say later that it was something else. */
export interface PruningRecord {
  /** Whether it was before prunings stood in the log: then the upgrade of the store has recorded it. */
  readonly isEarlier: boolean
  /** When the call began, in milliseconds since 1970. */
  readonly at: number
  /** What was received before this went, in milliseconds since 1970. Nothing where a payload was forgotten. */
  readonly before: number | undefined
  /** How many messages went. */
  readonly messages: number
  /** Which entries of the log have no more than their ids since. In their order. What they were, their ids in the same log say. */
  readonly ranges: readonly Range[]
}

/** No bundle is signed as this, so no bundle has the id of a pruning. */
const FIRST = new TextEncoder().encode('alvarium.Pruning/1\n')
/** Behind the first line: the flags and times, the messages, and how many ranges there are. */
const FIXED_BYTES = 1 + 8 + 1 + 8 + 4
const TIME_BYTES = 8
const RANGE_BYTES = 16

/** What stands in the log for a pruning, 32 bytes: as that of a bundle is made of what was signed. */
export function pruningId(record: Uint8Array): Uint8Array {
  return leafHash(record)
}

/** Two records never give the same bytes. */
export function writeRecord({ isEarlier, at, before, messages, ranges }: PruningRecord): Uint8Array {
  const times = before === undefined ? 0 : TIME_BYTES
  const bytes = new Uint8Array(FIRST.length + FIXED_BYTES + times + RANGE_BYTES * ranges.length)
  const view = new DataView(bytes.buffer)
  bytes.set(FIRST)
  let end = FIRST.length
  const add = (number: number) => {
    view.setBigInt64(end, BigInt(number))
    end += 8
  }
  view.setUint8(end++, Number(isEarlier))
  add(at)
  view.setUint8(end++, Number(before !== undefined))
  if (before !== undefined) add(before)
  add(messages)
  view.setUint32(end, ranges.length)
  end += 4
  for (const [first, last] of ranges) {
    add(first)
    add(last)
  }
  return bytes
}

/** @returns nothing for what is no record, or not spelled as one is */
export function readRecord(bytes: Uint8Array): PruningRecord | undefined {
  try {
    const record = taken(bytes)
    return isSame(writeRecord(record), bytes) && isInOrder(record.ranges) ? record : undefined
  } catch (error) {
    // It ends too early, or has more than a number can hold.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function taken(bytes: Uint8Array): PruningRecord {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let end = FIRST.length
  const take = () => {
    end += 8
    const number = Number(view.getBigInt64(end - 8))
    if (Number.isSafeInteger(number)) return number
    throw new RangeError('a number of more than 53 bits')
  }
  const isEarlier = view.getUint8(end++) === 1
  const at = take()
  const before = view.getUint8(end++) === 1 ? take() : undefined
  const messages = take()
  const count = view.getUint32(end)
  end += 4
  if (end + RANGE_BYTES * count !== bytes.length) throw new RangeError('another number of ranges')
  const ranges = Array.from({ length: count }, (): Range => [take(), take()])
  return { isEarlier, at, before, messages, ranges }
}

function isInOrder(ranges: readonly Range[]): boolean {
  return ranges.every(([first, last], at) => first <= last && first > (ranges[at - 1]?.[1] ?? -1))
}
