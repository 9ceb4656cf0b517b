// Blocks of two contenders that alternate: what others do on the machine is in both.

/** CPU time of so many operations. @param {import('./suite.mjs').OpenContender} contender @param {number} operations */
export async function cpuOf({ run }, operations) {
  const from = process.cpuUsage()
  for (let time = 0; time < operations; time++) await run()
  const { user, system } = process.cpuUsage(from)
  return user + system
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
