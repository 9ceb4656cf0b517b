import type { ClockSetting } from './clock.js'
import { optionBytes, readRecord, writeRecord } from './record.js'

/**
 * The extent of the records, stored separately, because records missing at either end cannot be detected from the
 * others. It is itself a record, with the number 0 and no message.
 */
export interface Mark {
  /** Last settled number, and the total length of the records up to it. */
  readonly settled: number
  readonly settledEnd: number
  /** Last number that was stored. */
  readonly last: number
  readonly lastEnd: number
  /** Number of messages that are set aside. */
  readonly aside: number
  /** Unsettled messages that are lost, and have been reported. */
  readonly gone: readonly Range[]
  /** Time of writing, in milliseconds since 1970. */
  readonly markedAt: number
  /** Settings of the machine's clock while unsettled records were stored. */
  readonly sets: readonly ClockSetting[]
  /** Topics that have had a subscriber, see `HeardTopics`. */
  readonly topics: readonly string[]
}

/** Maximum number of ranges in `gone`; others are reported again at the next start. */
const MAX_GONE = 1000
/** Maximum number of topics that a mark keeps. */
const MAX_TOPICS = 1000
/** The mark of a store before anything is stored. */
export const EMPTY_MARK: Mark = {
  ...{ settled: 0, settledEnd: 0, last: 0, lastEnd: 0, aside: 0, markedAt: 0 },
  ...{ gone: [], sets: [], topics: [] },
}
const NUMBER_NAMES = ['settled', 'settledEnd', 'last', 'lastEnd', 'aside'] as const
const NO_MESSAGE = new Uint8Array()

export function writeMark(mark: Mark): Uint8Array {
  const { settled, settledEnd, last, lastEnd, aside, gone, sets, topics, markedAt } = mark
  const lists = {
    ...(gone.length > 0 && { gone: gone.slice(0, MAX_GONE) }),
    ...(sets.length > 0 && { sets }),
    ...(topics.length > 0 && { topics: topics.slice(-MAX_TOPICS) }),
  }
  const options = optionBytes({ settled, settledEnd, last, lastEnd, aside, ...lists })
  return writeRecord({ number: 0, message: NO_MESSAGE, options, storedAt: markedAt, end: lastEnd })
}

/** Returns the mark; undefined if it is damaged. */
export function readMark(bytes: Uint8Array | undefined): Mark | undefined {
  if (!bytes) return undefined
  try {
    const { options, storedAt } = readRecord(0, bytes)
    const mark = { gone: [], sets: [], topics: [], ...options, markedAt: storedAt } as Partial<Mark>
    return NUMBER_NAMES.every((name) => Number.isFinite(mark[name])) ? (mark as Mark) : undefined
  } catch {
    return undefined
  }
}

/** Consecutive numbers: the first and the last of them. */
export type Range = readonly [first: number, last: number]

/** Returns the ranges between `first` and `last` that are missing from the numbers, which are in order. */
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

/** Returns the parts of a range that are in none of the others. */
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

/** Counts the numbers in the ranges, from `from` on. */
export function countNumbers(ranges: readonly Range[], from = 0): number {
  return ranges.reduce((sum, [first, last]) => sum + Math.max(0, last - Math.max(first, from) + 1), 0)
}
