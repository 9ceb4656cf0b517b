import { milliseconds, nanoseconds, PER_MILLISECOND } from '../../../foundation/base/time/timestamp.js'
import { withCore } from '../../../foundation/core/core.js'

/** Moment in a policy. */
export interface Instant {
  /** Text as the policy has it. */
  readonly text: string
  /** Nanoseconds since 1970: bundles have nine digits of fraction. */
  readonly ns: bigint
  /** Milliseconds since 1970, rounded down. */
  readonly ms: number
  /** Second of the moment, in the form of most bundles, without the `Z`. */
  readonly second: string
}

/** Reads a moment; returns undefined for a text that no bundle has as its timestamp (FORMAT.md, bundle/1). */
export function instantOf(text: string): Instant | undefined {
  const isTimestamp = text.length <= MAX_CHARACTERS && withCore((core) => core.isTimestamp(text))
  const ns = isTimestamp ? nanoseconds(text) : undefined
  if (ns === undefined) return undefined
  const ms = milliseconds(ns)
  return { text, ns, ms, second: secondOf(ms) }
}

/** Limit in characters: a date, a time with nine digits of fraction and an offset have 35. */
const MAX_CHARACTERS = 35

/** Converts milliseconds since 1970 to nanoseconds. */
export function nanosecondsAt(ms: number): bigint {
  return BigInt(Math.floor(ms)) * PER_MILLISECOND
}

/** Formats milliseconds since 1970 to the second, such as `2026-11-20T10:00:00`. */
export function secondOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19)
}
