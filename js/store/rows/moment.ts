import { nanoseconds } from '../../foundation/base/time/timestamp.js'
import { receivedMs } from '../../signing/keys/trust-policy.js'
import type { Row } from '../database/connection.js'

/** A signed timestamp, as two columns. */
export interface Moment {
  /** Microseconds since 1970, rounded down, as text, because it exceeds JavaScript's safe integers from 2255 on. */
  readonly at: string | undefined
  /** Timestamp as signed. Undefined for a usual one: after the beginning of 1970, UTC, six fractional digits, `Z`. */
  readonly spelled: string | undefined
}

const USUAL_SPELLING = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
const MILLISECONDS = '2026-11-20T10:00:00.123'.length

export function momentOf(timestamp: string): Moment {
  if (USUAL_SPELLING.test(timestamp)) {
    const ms = Date.parse(`${timestamp.slice(0, MILLISECONDS)}Z`)
    if (ms > 0) return { at: `${ms}${timestamp.slice(MILLISECONDS, -1)}`, spelled: undefined }
  }
  const ns = nanoseconds(timestamp)
  return { at: ns === undefined ? undefined : `${floorMicros(ns)}`, spelled: timestamp }
}

/** Converts a time to microseconds, for comparison with {@link Moment.at}. Returns undefined for undefined. */
export function microseconds(given: Date | number | undefined, field: string): string | undefined {
  const ms = receivedMs(given, field)
  return ms === undefined ? undefined : `${BigInt(Math.floor(ms)) * 1000n}`
}

/** Returns the timestamp of a row, as it was signed. The row needs the columns `spelled`, and `at` as text. */
export function timestampIn(row: Row): string {
  if (row['spelled'] !== null) return String(row['spelled'])
  const micros = String(row['at'])
  const text = new Date(Number(micros.slice(0, -3))).toISOString()
  return `${text.slice(0, MILLISECONDS)}${micros.slice(-3)}Z`
}

function floorMicros(ns: bigint): bigint {
  return ns / 1000n - (ns % 1000n < 0n ? 1n : 0n)
}
