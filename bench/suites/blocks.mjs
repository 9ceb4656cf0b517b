// Blocks of two contenders that alternate: what others do on the machine is in both.

/** CPU time of so many operations. @param {import('./suite.mjs').OpenContender} contender @param {number} operations */
export async function cpuOf({ run }, operations) {
  const from = process.cpuUsage()
  for (let time = 0; time < operations; time++) await run()
  const { user, system } = process.cpuUsage(from)
  return user + system
}

/**
 * CPU time of one contender as a multiple of another's, block by block. Whoever begins takes turns.
 *
 * @param {import('./suite.mjs').OpenContender} base @param {import('./suite.mjs').OpenContender} other
 * @param {{ blocks: number, operations: number }} count blocks of each, and operations in one
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
 * The median, and where that of all blocks there could be is with a probability of at least 95 %. It rests on nothing but their order:
 * how many of so many lie below the median is binomial. Of fewer than six, the interval is all of them.
 *
 * @param {readonly number[]} values
 */
export function medianOf(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const count = sorted.length
  // The probability that none lies below the median, that one does, …
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
