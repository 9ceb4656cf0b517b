import { milliseconds, nanoseconds, PER_MILLISECOND } from '../../../foundation/base/time/timestamp.js'
import { withCore } from '../../../foundation/core/core.js'

export interface Instant {
  readonly text: string
  /** Nanoseconds since 1970, because timestamps of bundles may have nine fraction digits. */
  readonly ns: bigint
  readonly ms: number
  /** Moment to the second, as in most timestamps of bundles but without the `Z`. */
  readonly second: string
}

/** Parses a moment; returns undefined for a text that cannot be a bundle's timestamp (FORMAT.md, bundle/1). */
export function instantOf(text: string): Instant | undefined {
  const isTimestamp = text.length <= MAX_CHARACTERS && withCore((core) => core.isTimestamp(text))
  const ns = isTimestamp ? nanoseconds(text) : undefined
  if (ns === undefined) return undefined
  const ms = milliseconds(ns)
  return { text, ns, ms, second: secondOf(ms) }
}

/** Maximum length in characters: a date, a time with nine fraction digits, and an offset. */
const MAX_CHARACTERS = 35

export function nanosecondsAt(ms: number): bigint {
  return BigInt(Math.floor(ms)) * PER_MILLISECOND
}

/** Formats milliseconds since 1970 to the second: `2026-11-20T10:00:00`. */
export function secondOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19)
}
