import { nanoseconds } from '../base/time/timestamp.js'
import { receivedMs } from '../keys/trust-policy.js'
import type { Row } from './connection.js'

/** A timestamp as it was signed, in two columns. */
export interface Moment {
  /** Microseconds since 1970, rounded down: the text of a `bigint`, which JavaScript's numbers do not hold from the year 2255 on. */
  readonly at: string | undefined
  /** How it was spelled; nothing if it has the usual spelling: UTC, six digits of a fraction, Z. */
  readonly spelled: string | undefined
}

const USUAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
const MILLISECONDS = '2026-11-20T10:00:00.123'.length

/** Of a timestamp that was verified. */
export function momentOf(timestamp: string): Moment {
  if (USUAL.test(timestamp)) {
    const ms = Date.parse(`${timestamp.slice(0, MILLISECONDS)}Z`)
    if (ms > 0) return { at: `${ms}${timestamp.slice(MILLISECONDS, -1)}`, spelled: undefined }
  }
  const ns = nanoseconds(timestamp)
  return { at: ns === undefined ? undefined : `${floored(ns)}`, spelled: timestamp }
}

/**
 * A moment that is asked for, to be compared with {@link Moment.at}; nothing if none is.
 *
 * @throws TypeError for what is no time
 */
export function microseconds(given: Date | number | undefined, field: string): string | undefined {
  const ms = receivedMs(given, field)
  return ms === undefined ? undefined : `${BigInt(Math.floor(ms)) * 1000n}`
}

/** The timestamp that a row has in `at`, as text, and `spelled`. */
export function timestampIn(row: Row): string {
  if (row['spelled'] !== null) return String(row['spelled'])
  const micros = String(row['at'])
  const text = new Date(Number(micros.slice(0, -3))).toISOString()
  return `${text.slice(0, MILLISECONDS)}${micros.slice(-3)}Z`
}

/** Division rounds towards 0. */
function floored(ns: bigint): bigint {
  return ns / 1000n - (ns % 1000n < 0n ? 1n : 0n)
}
