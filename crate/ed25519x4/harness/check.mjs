// Runs the crate's checks in WebAssembly, where the lanes are v128:
//
// node check.mjs [--long] [check …]
//
// With --long, each check has many cases. With --long and without names (`npm test -- curve --long`), it takes more than
// an hour, and the native tests, which check the portable lanes, run at the same time.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { nativeCargo } from '../../../js/build/toolchain.mjs'
import { harness } from './build.mjs'

const [SHORT, LONG] = [0, 1]
const CASES = {
  edges: [1, 1],
  products: [400_000, 10_000_000],
  sums: [400_000, 10_000_000],
  inversions: [20_000, 1_000_000],
  formulas: [150_000, 10_000_000],
  multiples: [800, 100_000],
  digits: [10_000, 1_000_000],
  encodings: [4_000, 1_000_000],
  signatures: [10_000, 1_000_000],
  verdicts: [20_000, 1_000_000],
  keys: [4_000, 1_000_000],
  orders: [20, 2_000],
}

const options = process.argv.slice(2)
const length = options.includes('--long') ? LONG : SHORT
const asked = options.filter((option) => option !== '--long')
const { check } = await harness()
const native = options.includes('--long') && asked.length === 0 ? nativeForm() : undefined
for (const name of asked.length ? asked : Object.keys(CASES)) {
  const cases = CASES[name][length]
  const start = performance.now()
  check(name, length + 1, cases)
  console.log(`${name}: ${cases} cases, ${((performance.now() - start) / 1000).toFixed(1)} s`)
}
if (native && (await native)[0] !== 0) process.exitCode = 1

/** Runs the native tests with many cases, and resolves to their exit code and signal. */
function nativeForm() {
  const args = [
    'test',
    '--release',
    '--locked',
    '--package',
    'ed25519x4',
    '--',
    '--ignored',
    '--test-threads=1',
  ]
  const child = spawn(nativeCargo(), args, { cwd: new URL('../..', import.meta.url), stdio: 'inherit' })
  return once(child, 'exit')
}
