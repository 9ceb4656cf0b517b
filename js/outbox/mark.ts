import type { Range } from './gaps.js'
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
  /** What is not settled, and gone: it has been told. */
  readonly gone: readonly Range[]
}

/** More places than that are told once more at the next start. */
const MOST_GONE = 1000
const NAMES = ['settled', 'settledEnd', 'last', 'lastEnd', 'aside'] as const
const NO_MESSAGE = new Uint8Array()

export function writeMark({ settled, settledEnd, last, lastEnd, aside, gone }: Mark): Uint8Array {
  const told = gone.length > 0 && { gone: gone.slice(0, MOST_GONE) }
  const options = optionBytes({ settled, settledEnd, last, lastEnd, aside, ...told })
  return writeRecord({ number: 0, message: NO_MESSAGE, options, storedAt: 0, end: lastEnd })
}

/** What was marked, unless it is damaged. */
export function readMark(bytes: Uint8Array | undefined): Mark | undefined {
  if (!bytes) return undefined
  try {
    const mark = { gone: [], ...readRecord(0, bytes).options } as Partial<Mark>
    return NAMES.every((name) => Number.isFinite(mark[name])) ? (mark as Mark) : undefined
  } catch {
    return undefined
  }
}
