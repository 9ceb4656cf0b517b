import type { ClockSet } from './clock.js'
import { optionBytes, readRecord, writeRecord } from './record.js'

/**
 * Where the records begin and end, kept apart from them: what is missing at either end cannot be told from them. It is
 * itself a record, with the number 0 and no message.
 */
export interface Mark {
  /** The last number that is settled, and how long the records up to it have been. */
  readonly settled: number
  readonly settledEnd: number
  /** The last number that was stored. */
  readonly last: number
  readonly lastEnd: number
  /** How many messages are set aside. */
  readonly aside: number
  /** What is not settled, and lost: it has been reported. */
  readonly gone: readonly Range[]
  /** Time of writing, in milliseconds since 1970. */
  readonly markedAt: number
  /** How the machine's clock was set while this was there. */
  readonly sets: readonly ClockSet[]
  /** Topics to which someone has subscribed, see `HeardTopics`. */
  readonly topics: readonly string[]
}

/** If there are more ranges than that, the rest is reported once more at the next start. */
const MOST_GONE = 1000
/** Number of topics that a mark keeps. */
const MAX_TOPICS = 1000
/** The mark of a store before anything is stored. */
export const EMPTY: Mark = {
  ...{ settled: 0, settledEnd: 0, last: 0, lastEnd: 0, aside: 0, markedAt: 0 },
  ...{ gone: [], sets: [], topics: [] },
}
const NAMES = ['settled', 'settledEnd', 'last', 'lastEnd', 'aside'] as const
const NO_MESSAGE = new Uint8Array()

export function writeMark(mark: Mark): Uint8Array {
  const { settled, settledEnd, last, lastEnd, aside, gone, sets, topics, markedAt } = mark
  const told = {
    ...(gone.length > 0 && { gone: gone.slice(0, MOST_GONE) }),
    ...(sets.length > 0 && { sets }),
    ...(topics.length > 0 && { topics: topics.slice(-MAX_TOPICS) }),
  }
  const options = optionBytes({ settled, settledEnd, last, lastEnd, aside, ...told })
  return writeRecord({ number: 0, message: NO_MESSAGE, options, storedAt: markedAt, end: lastEnd })
}

/** What was marked, unless it is damaged. */
export function readMark(bytes: Uint8Array | undefined): Mark | undefined {
  if (!bytes) return undefined
  try {
    const { options, storedAt } = readRecord(0, bytes)
    const mark = { gone: [], sets: [], topics: [], ...options, markedAt: storedAt } as Partial<Mark>
    return NAMES.every((name) => Number.isFinite(mark[name])) ? (mark as Mark) : undefined
  } catch {
    return undefined
  }
}

/** Numbers that follow on each other: the first and the last of them. */
export type Range = readonly [first: number, last: number]

/** What is missing of the numbers from one to another, of which these are there, in order. */
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

/** What of a range is in none of the others. */
export function without([first, last]: Range, others: readonly Range[]): Range[] {
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

/** How many numbers these are, from one on. */
export function countOf(ranges: readonly Range[], from = 0): number {
  return ranges.reduce((sum, [first, last]) => sum + Math.max(0, last - Math.max(first, from) + 1), 0)
}
