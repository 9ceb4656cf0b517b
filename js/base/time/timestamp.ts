/** RFC 3339, and what Java makes of a full minute. */
const PARTS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)$/
/** Nanoseconds. */
export const PER_MILLISECOND = 1_000_000n

/**
 * Nanoseconds since 1970 of a timestamp that was signed, in whatever offset; undefined where there is none in it. A second 60 is
 * the first of the next minute, which `Date` does not know.
 */
export function nanoseconds(timestamp: string): bigint | undefined {
  const [, minute, second = '00', fraction = '', offset] = PARTS.exec(timestamp) ?? []
  const ms = Date.parse(`${minute}:00${offset === '-00:00' ? 'Z' : offset}`)
  if (Number.isNaN(ms)) return undefined
  return BigInt(ms + 1000 * Number(second)) * PER_MILLISECOND + BigInt(fraction.padEnd(9, '0'))
}

/** Milliseconds since 1970, rounded down. */
export function milliseconds(ns: bigint): number {
  return Number(ns / PER_MILLISECOND) - (ns % PER_MILLISECOND < 0n ? 1 : 0)
}
