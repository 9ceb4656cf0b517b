/** @param {readonly number[]} numbers at least one */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = /** @type {number} */ (sorted[middle])
  return sorted.length % 2 === 1 ? upper : (upper + /** @type {number} */ (sorted[middle - 1])) / 2
}

/** @param {readonly number[]} seconds */
export function summary(seconds) {
  const average = seconds.reduce((sum, one) => sum + one, 0) / seconds.length
  return { min: Math.min(...seconds), average, max: Math.max(...seconds), median: median(seconds) }
}

/**
 * The median of the rounds' own ratios. What disturbs a round tends to disturb both of its numbers, so this is
 * steadier than the ratio of two medians; most of all within a row, whose numbers are taken one after another.
 *
 * @param {readonly number[]} above
 * @param {readonly number[]} below of the same rounds
 */
export function pairedRatio(above, below) {
  return median(above.map((seconds, round) => seconds / /** @type {number} */ (below[round])))
}
