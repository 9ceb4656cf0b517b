// Scale of scores and trust. Everything that enters or leaves the SDK is a number from 0 to 1 with at most four
// decimals. Sums and products are exact: they are made of whole ten-thousandths, and only the functions of this file
// convert.

import { numberOr } from '../../foundation/base/errors.js'

/** Number of ten-thousandths in a whole. */
const UNITS = 10_000
/** The same number for exact calculations. */
export const WHOLE = BigInt(UNITS)

/** Returns the ten-thousandths of a score or of a trust. */
export function unitsOf(score: number): bigint {
  return BigInt(Math.round(score * UNITS))
}

/**
 * Returns ten-thousandths as a score: the double nearest to it, whose JSON has the same four decimals in
 * every language.
 */
export function fromUnits(units: bigint): number {
  return Number(units) / UNITS
}

/** Returns whether a number from 0 to 1 has at most four decimals. */
export function isOfScale(score: number): boolean {
  return score === Math.round(score * UNITS) / UNITS
}

/**
 * Returns a score in percent, for people. To show whole percent, round it down with `Math.floor`: 99.9 % is not 100 %.
 * 57 of 100 is 57 here, although `100 * 0.57` is less. A number with more than four decimals is rounded down to them.
 *
 * @param score - from 0 to 1, like all scores in this package
 * @returns from 0 to 100, with at most two decimals
 * @throws RangeError when `score` is not from 0 to 1
 *
 * @example
 * ```ts
 * import { percentOf } from 'alvarium-sdk/judge'
 *
 * console.log(percentOf(0.57), Math.floor(percentOf(0.999))) // 57 99
 * ```
 */
export function percentOf(score: number): number {
  if (!(score >= 0 && score <= 1)) {
    throw new RangeError(`score: expected a number from 0 to 1, got ${numberOr(score)}`)
  }
  const units = Math.round(score * UNITS)
  // Correct a product that was rounded up to a unit that the score does not reach.
  return (units / UNITS > score ? units - 1 : units) / 100
}
