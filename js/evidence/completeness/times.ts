import { milliseconds, nanoseconds } from '../../foundation/base/time/timestamp.js'

/** Maximum number of cached times. Few suffice: all missing messages of one checkpoint share two times. */
const MAX_TIMES = 256
/** Cache of times in milliseconds since 1970, by their timestamps. */
const times = new Map<string, number>()

/** Returns the milliseconds since 1970 of a verified timestamp. */
export function msOf(timestamp: string): number {
  const known = times.get(timestamp)
  if (known !== undefined) return known
  const ms = milliseconds(nanoseconds(timestamp) ?? 0n)
  if (times.size === MAX_TIMES) times.clear()
  times.set(timestamp, ms)
  return ms
}

/**
 * Returns a time span that does not end before it begins. A checkpoint's time has whole milliseconds, and may
 * precede the time of a listed message. The span is then empty.
 */
export function clampSpan(since: string, until: string): { readonly since: string; readonly until: string } {
  return { since, until: msOf(until) <= msOf(since) ? since : until }
}
