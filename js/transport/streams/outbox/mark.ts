import type { ClockSetting } from './clock.js'
import { optionBytes, readRecord, writeRecord } from './record.js'

/**
 * Mark of a store, which states where its records begin and end. Without the mark, missing records at either
 * end would go unnoticed. The mark is stored apart from the records, encoded as a record with the number 0
 * and no message.
 */
export interface Mark {
  /** Number of the last settled record, and the length of all records up to it. */
  readonly settled: number
  readonly settledEnd: number
  /** Number of the last stored record, and the length of all records. */
  readonly last: number
  readonly lastEnd: number
  readonly setAside: number
  /** Ranges of unsettled messages that are lost and have been reported. */
  readonly lost: readonly Range[]
  readonly markedAt: number
  /** Changes of the machine's clock since the unsettled records were stored. */
  readonly clockSettings: readonly ClockSetting[]
  /** Topics that have had a subscriber, see `SubscribedTopics`. */
  readonly topics: readonly string[]
}

/** Maximum number of ranges in `lost`. Further losses are reported again at the next start. */
const MAX_LOST_RANGES = 1000
const MAX_TOPICS = 1000
/** Mark of a new store, which has no records. */
export const EMPTY_MARK: Mark = {
  settled: 0,
  settledEnd: 0,
  last: 0,
  lastEnd: 0,
  setAside: 0,
  markedAt: 0,
  lost: [],
  clockSettings: [],
  topics: [],
}
const NUMBER_NAMES = ['settled', 'settledEnd', 'last', 'lastEnd', 'setAside'] as const
const NO_MESSAGE = new Uint8Array()

export function writeMark(mark: Mark): Uint8Array {
  const { settled, settledEnd, last, lastEnd, setAside, lost, clockSettings, topics, markedAt } = mark
  const lists = {
    ...(lost.length > 0 && { lost: lost.slice(0, MAX_LOST_RANGES) }),
    ...(clockSettings.length > 0 && { clockSettings }),
    ...(topics.length > 0 && { topics: topics.slice(-MAX_TOPICS) }),
  }
  const options = optionBytes({ settled, settledEnd, last, lastEnd, setAside, ...lists })
  return writeRecord({ number: 0, message: NO_MESSAGE, options, storedAt: markedAt, end: lastEnd })
}

/** Returns the mark, or undefined if the bytes are damaged or missing. */
export function readMark(bytes: Uint8Array | undefined): Mark | undefined {
  if (!bytes) return undefined
  try {
    const { options, storedAt } = readRecord(0, bytes)
    const mark = { lost: [], clockSettings: [], topics: [], ...options, markedAt: storedAt } as Partial<Mark>
    return NUMBER_NAMES.every((name) => Number.isFinite(mark[name])) ? (mark as Mark) : undefined
  } catch {
    return undefined
  }
}

/** Range of consecutive message numbers, including both ends. */
export type Range = readonly [first: number, last: number]

/** Returns the ranges from `first` to `last` that are missing in a sorted list of numbers. */
export function gapsOf(numbers: Iterable<number>, first: number, last: number): Range[] {
  const gaps: Range[] = []
  let next = first
  for (const number of numbers) {
    if (number < next) continue
    if (number > last) break
    if (number > next) gaps.push([next, number - 1])
    next = number + 1
  }
  if (next <= last) gaps.push([next, last])
  return gaps
}

export function subtractRanges([first, last]: Range, others: readonly Range[]): Range[] {
  const rest: Range[] = []
  let next = first
  for (const [from, to] of [...others].sort(([one], [other]) => one - other)) {
    if (from > last) break
    if (from > next) rest.push([next, from - 1])
    next = Math.max(next, to + 1)
  }
  if (next <= last) rest.push([next, last])
  return rest
}

/** Returns how many numbers the ranges contain, without numbers below `from`. */
export function countNumbers(ranges: readonly Range[], from = 0): number {
  return ranges.reduce((sum, [first, last]) => sum + Math.max(0, last - Math.max(first, from) + 1), 0)
}
