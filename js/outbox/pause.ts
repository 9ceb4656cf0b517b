const FIRST_MS = 100
const LONGEST_MS = 5000

/**
 * How long to wait before something is tried again, in milliseconds: twice as long each time up to 5 seconds, of which a
 * random half is taken off, so that many that failed together do not come back together.
 *
 * @param failures - attempts that have failed one after another, from 0
 * @param random - a number from 0 to 1
 */
export function pauseMs(failures: number, random: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 2 ** failures) * (1 - random / 2)
}
