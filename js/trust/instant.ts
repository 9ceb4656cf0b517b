import { withCore } from '../core/core.js'

/** RFC 3339, and what Java makes of a full minute. */
const PARTS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)$/
const NANOSECONDS = 1_000_000n

/** A moment of a policy. */
export interface Instant {
  /** As it was written. */
  readonly text: string
  /** Nanoseconds since 1970: bundles have nine digits of fraction. */
  readonly ns: bigint
  /** Milliseconds since 1970, rounded down. */
  readonly ms: number
  /** The second that it lies in, as bundles mostly write it, without the `Z`. */
  readonly second: string
}

/** Undefined for what is no timestamp as bundles have them (FORMAT.md, bundle/1). */
export function instantOf(text: string): Instant | undefined {
  const isTimestamp = text.length <= LONGEST && withCore((core) => core.isTimestamp(text))
  const ns = isTimestamp ? nanoseconds(text) : undefined
  if (ns === undefined) return undefined
  const ms = Number(ns / NANOSECONDS) - (ns % NANOSECONDS < 0n ? 1 : 0)
  return { text, ns, ms, second: secondOf(ms) }
}

/** A date, a time with nine digits of fraction and an offset have 35. */
const LONGEST = 35

/** The same moment, out of a clock. */
export function instantAt(ms: number): Instant {
  return {
    text: new Date(ms).toISOString(),
    ns: BigInt(Math.floor(ms)) * NANOSECONDS,
    ms,
    second: secondOf(ms),
  }
}

/** `2026-11-20T10:00:00` */
export function secondOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19)
}

/** Of a timestamp that was signed, in whatever offset; undefined where there is none in it. */
export function nanoseconds(timestamp: string): bigint | undefined {
  const [, minute, second = '00', fraction = '', offset] = PARTS.exec(timestamp) ?? []
  const ms = Date.parse(`${minute}:00${offset === '-00:00' ? 'Z' : offset}`)
  if (Number.isNaN(ms)) return undefined
  return BigInt(ms + 1000 * Number(second)) * NANOSECONDS + BigInt(fraction.padEnd(9, '0'))
}
