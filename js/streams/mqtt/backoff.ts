const FIRST_MS = 200
const LONGEST_MS = 30_000

/**
 * How long to wait before the next attempt to reach a broker, in milliseconds: doubled each time up to 30
 * seconds, of which a random half is taken off, so that a thousand clients do not come back in the same instant.
 *
 * @param failures - attempts that have failed since the last connection that held, from 0
 * @param random - a number from 0 to 1
 */
export function backoff(failures: number, random: number): number {
  const ceiling = Math.min(LONGEST_MS, FIRST_MS * 2 ** failures)
  return ceiling * (1 - random / 2)
}
