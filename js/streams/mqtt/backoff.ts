const FIRST_MS = 200
/** The longest wait, in milliseconds. */
export const LONGEST_MS = 30_000
/** The longest wait while messages wait for the broker: most of their time must not go by between two attempts. */
export const LONGEST_IN_HASTE_MS = 5_000

/**
 * How long to wait before the next attempt to reach a broker, in milliseconds: doubled each time up to
 * the longest, of which a random half is taken off, so that a thousand clients do not come back in the same instant.
 *
 * @param failures - attempts that have failed since the last connection that held, from 0
 * @param random - a number from 0 to 1
 * @param longestMs - what it grows to
 */
export function backoff(failures: number, random: number, longestMs = LONGEST_MS): number {
  const ceiling = Math.min(longestMs, FIRST_MS * 2 ** failures)
  return ceiling * (1 - random / 2)
}
