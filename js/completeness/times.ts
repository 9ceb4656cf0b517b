import { milliseconds, nanoseconds } from '../base/time/timestamp.js'

/** Of what was verified, which has a time: milliseconds since 1970. */
export function msOf(timestamp: string): number {
  return milliseconds(nanoseconds(timestamp) ?? 0n)
}

/** From when to when. A checkpoint has whole milliseconds, and may seem to be signed before a message that it has: then it is at once. */
export function orderly(since: string, until: string): { readonly since: string; readonly until: string } {
  return { since, until: msOf(until) <= msOf(since) ? since : until }
}
