// Prints the times of the parts of a signature in ns, as the lowest tenth and the median of many short samples:
//
// node parts.mjs

import { harness } from './build.mjs'

const PARTS = ['times', 'freeze', 'plus', 'doubled', 'select', 'times base', 'invert', 'encode', 'hash 400 B']
const { repeat } = await harness()
const samples = Object.fromEntries(PARTS.map((part) => [part, []]))
for (let round = 0; round < 300; round++) {
  for (const part of PARTS) {
    const times = /base|invert|encode|hash/.test(part) ? 20 : 500
    const start = process.hrtime.bigint()
    repeat(part, times)
    samples[part].push(Number(process.hrtime.bigint() - start) / times)
  }
}
for (const [part, list] of Object.entries(samples)) {
  const sorted = list.slice(100).toSorted((a, b) => a - b)
  console.log(part.padEnd(12), [20, 100].map((at) => sorted[at].toFixed(0).padStart(8)).join(''))
}
