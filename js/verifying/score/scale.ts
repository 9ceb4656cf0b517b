// Converts scores and trust. Outside of the SDK they are numbers from 0 to 1 with at most four decimals. Sums
// and products are exact, because they use whole ten-thousandths.

import { numberOr } from '../../foundation/base/errors.js'

const UNITS = 10_000
/** Number of ten-thousandths in a score of 1, for exact calculations. */
export const WHOLE = BigInt(UNITS)

export function unitsOf(score: number): bigint {
  return BigInt(Math.round(score * UNITS))
}

/** Converts ten-thousandths to a score. The nearest double has the same JSON in every language. */
export function fromUnits(units: bigint): number {
  return Number(units) / UNITS
}

export function isOfScale(score: number): boolean {
  return score === Math.round(score * UNITS) / UNITS
}

/**
 * Returns a score in percent: 57 for 0.57, although `100 * 0.57` is less. Use `Math.floor` for whole percent,
 * because 99.9 % is not 100 %. A score with more than four decimals is rounded down.
 *
 * @param score - from 0 to 1, like all scores in this package
 * @returns from 0 to 100, with at most two decimals
 * @throws RangeError when `score` is not from 0 to 1
 *
 * @example
 * ```ts
 * import { percentOf } from 'alvarium-sdk/score'
 *
 * console.log(percentOf(0.57), Math.floor(percentOf(0.999))) // 57 99
 * ```
 */
export function percentOf(score: number): number {
  if (!(score >= 0 && score <= 1)) {
    throw new RangeError(`score: expected a number from 0 to 1, got ${numberOr(score)}`)
  }
  const units = Math.round(score * UNITS)
  // Correct a product that was rounded up beyond the score.
  return (units / UNITS > score ? units - 1 : units) / 100
}
