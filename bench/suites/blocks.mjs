// Measures two contenders in alternating blocks, so that other load on the machine affects both.

/**
 * Runs a number of operations. Returns their CPU time in total, in microseconds.
 *
 * @param {import('./suite.mjs').OpenContender} contender
 * @param {number} operations
 */
export async function cpuOf({ run }, operations) {
  const from = process.cpuUsage()
  for (let time = 0; time < operations; time++) await run()
  const { user, system } = process.cpuUsage(from)
  return user + system
}

/**
 * Returns the CPU time of `other` divided by the CPU time of `base`, for each block. The contender that runs
 * first alternates.
 *
 * @param {import('./suite.mjs').OpenContender} base
 * @param {import('./suite.mjs').OpenContender} other
 * @param {{ blocks: number, operations: number }} count blocks of each contender, and operations per block
 */
export async function ratiosOf(base, other, { blocks, operations }) {
  const ratios = []
  for (let block = 0; block < blocks; block++) {
    const isBaseFirst = block % 2 === 0
    const [first, second] = isBaseFirst ? [base, other] : [other, base]
    const times = [await cpuOf(first, operations), await cpuOf(second, operations)]
    ratios.push(isBaseFirst ? times[1] / times[0] : times[0] / times[1])
  }
  return ratios
}

/**
 * Returns the median with an interval that contains the true median with a probability of at least 95 %. The
 * interval depends only on the order of the values, because the number of values below the true median is
 * binomial. With fewer than six values, it is the whole range.
 *
 * @param {readonly number[]} values
 */
export function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const count = sorted.length
  // Add the probabilities that 0, 1, … values are below the true median.
  let chance = 0.5 ** count
  let outside = 0
  let first = 0
  for (; 2 * (outside + chance) <= 0.05; first++) {
    outside += chance
    chance *= (count - first) / (first + 1)
  }
  const at = Math.max(0, first - 1)
  const middle = [sorted[Math.ceil(count / 2) - 1] ?? 0, sorted[Math.floor(count / 2)] ?? 0]
  return { low: sorted[at] ?? 0, median: (middle[0] + middle[1]) / 2, high: sorted[count - 1 - at] ?? 0 }
}

/** @param {string} label @param {number[]} values */
export function row(label, values) {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (part) => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(3)
  return { label, parts: [0.25, 0.5, 0.75].map(at) }
}

/** @param {{ label: string, parts: string[] }[]} rows */
export function quartiles(rows) {
  const heads = ['lower quartile', 'median', 'upper quartile']
  return {
    title: '',
    columns: [
      { head: '', values: rows.map(({ label }) => label) },
      ...heads.map((head, at) => ({ head, values: rows.map(({ parts }) => parts[at] ?? '') })),
    ],
  }
}
