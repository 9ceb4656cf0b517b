import { milliseconds, nanoseconds } from '../base/time/timestamp.js'

/** Limit of the remembered times: all messages of a list that are not there have the same two. */
const MAX_TIMES = 256
/** Milliseconds since 1970, by the timestamp. */
const times = new Map<string, number>()

/** Returns the milliseconds since 1970 of a timestamp that was verified. */
export function msOf(timestamp: string): number {
  const known = times.get(timestamp)
  if (known !== undefined) return known
  const ms = milliseconds(nanoseconds(timestamp) ?? 0n)
  if (times.size === MAX_TIMES) times.clear()
  times.set(timestamp, ms)
  return ms
}

/** From when to when. A checkpoint has whole milliseconds, and may seem to be signed before a message that it has: then it is at once. */
export function orderly(since: string, until: string): { readonly since: string; readonly until: string } {
  return { since, until: msOf(until) <= msOf(since) ? since : until }
}
