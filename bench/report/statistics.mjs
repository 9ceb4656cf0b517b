/** @param {readonly number[]} numbers at least one */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = /** @type {number} */ (sorted[middle])
  return sorted.length % 2 === 1 ? upper : (upper + /** @type {number} */ (sorted[middle - 1])) / 2
}

/** @param {readonly number[]} seconds */
export function summary(seconds) {
  const sorted = [...seconds].sort((a, b) => a - b)
  const [min, max] = [quantile(sorted, 0), quantile(sorted, 1)]
  return { min, ...mean(seconds), max, median: median(seconds), p99: quantile(sorted, 0.99) }
}

/**
 * Returns the mean and half of its 95 % confidence interval, which is 1.96 standard errors. From 62 numbers
 * on, this half is within 2 % of Student's t.
 *
 * @param {readonly number[]} numbers
 */
function mean(numbers) {
  const count = numbers.length
  const average = numbers.reduce((sum, one) => sum + one, 0) / count
  const squares = numbers.reduce((sum, one) => sum + (one - average) ** 2, 0)
  return { average, margin: count > 1 ? 1.96 * Math.sqrt(squares / (count - 1) / count) : Infinity }
}

/**
 * Returns the smallest number that is at least as large as the given share of all numbers.
 *
 * @param {number[]} sorted
 * @param {number} share
 */
function quantile(sorted, share) {
  return /** @type {number} */ (sorted[Math.max(Math.ceil(share * sorted.length) - 1, 0)])
}

/**
 * Returns the median of the rounds' ratios. It is steadier than the ratio of two medians, because a
 * disturbance tends to affect both numbers of a round, which are measured directly after each other.
 *
 * @param {readonly number[]} above
 * @param {readonly number[]} below numbers of the same rounds
 */
export function pairedRatio(above, below) {
  return median(above.map((seconds, round) => seconds / /** @type {number} */ (below[round])))
}
