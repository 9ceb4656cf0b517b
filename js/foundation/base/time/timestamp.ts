/** Pattern of RFC 3339 timestamps, and of the form without seconds that Java writes for a full minute. */
const PARTS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)$/
export const PER_MILLISECOND = 1_000_000n

/**
 * Parses a signed timestamp with any offset into nanoseconds since 1970. Returns undefined for an invalid
 * one, but accepts seconds above 60. A second 60, which `Date` does not accept, counts as the first second of
 * the next minute.
 */
export function nanoseconds(timestamp: string): bigint | undefined {
  const [, minute, second = '00', fraction = '', offset] = PARTS.exec(timestamp) ?? []
  const ms = Date.parse(`${minute}:00${offset === '-00:00' ? 'Z' : offset}`)
  if (Number.isNaN(ms)) return undefined
  return BigInt(ms + 1000 * Number(second)) * PER_MILLISECOND + BigInt(fraction.padEnd(9, '0'))
}

/** Converts nanoseconds to milliseconds, rounded down. */
export function milliseconds(ns: bigint): number {
  return Number(ns / PER_MILLISECOND) - (ns % PER_MILLISECOND < 0n ? 1 : 0)
}
