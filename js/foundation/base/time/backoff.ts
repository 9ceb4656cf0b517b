import { onAbort } from './abort.js'

/** First wait in milliseconds. `LONGEST_MS` is the longest one. */
const FIRST_MS = 200
export const MAX_BACKOFF_MS = 30_000

/**
 * Returns the wait before the next attempt, in milliseconds. It doubles each time up to the longest. A random
 * part, at most half of it, is subtracted: otherwise a thousand clients that failed at the same time would
 * retry at the same time.
 *
 * @param failures - number of failed attempts since the last success, from 0
 * @param random - number from 0 to 1
 * @param longestMs - longest wait in milliseconds
 * @param firstMs - first wait in milliseconds
 */
export function backoff(
  failures: number,
  random: number,
  longestMs = MAX_BACKOFF_MS,
  firstMs = FIRST_MS,
): number {
  const ceiling = Math.min(longestMs, firstMs * 2 ** failures)
  return ceiling * (1 - random / 2)
}

/** Resolves after a time in milliseconds, or when the signal aborts. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer)
      forget()
      resolve()
    }
    const timer = setTimeout(over, milliseconds)
    const forget = onAbort(signal, over)
  })
}
