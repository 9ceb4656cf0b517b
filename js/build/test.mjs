// `npm test`: everything that decides whether a change is right, in the order of how fast it fails.
//
//   npm test                       the quick steps, within five minutes
//   npm run test:long              the long ones
//   npm run test:all               both; .ci/run is as much
//   npm test -- node tests/x.test  one step, with arguments of its own
//
// At the end it says which step took how long, also when one failed: those after it are not run.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { STEPS } from './steps.mjs'

const ready = fileURLToPath(new URL('ready.mjs', import.meta.url))

const [chosen = 'quick', ...extra] = process.argv.slice(2)
const names = namesOf(chosen)
/** @type {Map<string, { seconds: number, isPassed: boolean }>} */
const results = new Map()

const isReady = timed('ready', () => succeeds({ program: process.execPath, args: [ready, '--test'] }))
const arePassed = isReady && names.every((name) => timed(name, () => passes(name)))
console.log(table())
process.exitCode = arePassed ? 0 : 1

/** @param {string} which the steps of a speed, all of them, or one */
function namesOf(which) {
  const all = Object.keys(STEPS)
  if (which === 'all') return all
  const some = all.filter((name) => name === which || STEPS[name].speed === which)
  if (some.length > 0) return some
  console.error(`there is no step ${which}: expected one of ${all.join(', ')}, or quick, long or all`)
  process.exit(1)
}

/** @param {string} name @param {() => boolean} act */
function timed(name, act) {
  const start = performance.now()
  const isPassed = act()
  results.set(name, { seconds: (performance.now() - start) / 1000, isPassed })
  return isPassed
}

/** @param {string} name */
function passes(name) {
  console.log(`\n── ${name} ──`)
  return STEPS[name].commands().every((one) => succeeds({ ...one, args: [...one.args, ...extra] }))
}

/** @param {{ program: string, args: string[], cwd?: string }} command */
function succeeds({ program, args, cwd }) {
  const { status, error, signal } = spawnSync(program, args, { cwd, stdio: 'inherit' })
  if (status === 0) return true
  console.error(`\n${error?.message ?? `${program} ${args.join(' ')} ended with ${signal ?? status}`}`)
  return false
}

function table() {
  const rows = ['ready', ...names].map((name) => {
    const { seconds, isPassed } = results.get(name) ?? {}
    const state = seconds === undefined ? 'not run' : isPassed ? 'passed' : 'FAILED'
    return row(name, state, seconds, STEPS[name]?.what ?? 'packages, core, TypeScript')
  })
  const total = [...results.values()].reduce((sum, { seconds }) => sum + seconds, 0)
  return ['', '── what took how long ──', ...rows, row('', 'in all', total)].join('\n')
}

/** @param {string} name @param {string} state @param {number | undefined} seconds @param {string} [what] */
function row(name, state, seconds, what = '') {
  const time = seconds === undefined ? '' : `${seconds.toFixed(1)} s`
  return `${name.padEnd(10)}${state.padEnd(9)}${time.padStart(8)}   ${what}`.trimEnd()
}
