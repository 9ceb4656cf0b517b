import { onAbort } from './abort.js'

/** First wait in milliseconds. `MAX_BACKOFF_MS` is the longest wait. */
const FIRST_MS = 200
export const MAX_BACKOFF_MS = 30_000

/**
 * Returns the wait before the next attempt, in milliseconds. The wait doubles with each failure, up to `longestMs`. A
 * random part of at most half is subtracted, so that a thousand clients that failed at the same time do not retry at
 * the same time.
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

/** Resolves after a time in milliseconds, or earlier when the signal aborts during the wait. */
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
