// `npm test`: all steps that decide whether a change is right, in the order of how fast they fail.
//
//   npm test                                 the quick steps, in ten minutes on two cores
//   npm run test:long                        the long ones: measuring steps are last, and alone
//   npm run test:all                         both; .ci/run does the same
//   npm test -- whole                        in each browser the tests that Node runs, too: before a release
//   npm test -- lint types                   some steps
//   npm test -- node tests/x.test            one step, with extra arguments
//   npm test -- node --repeat 20 --busy      a step, or quick, long or all, twenty times while all cores have other work
//
// The table at the end lists failures and the time of each step. Steps that had not begun at the first failure are
// not run.

import { fileURLToPath } from 'node:url'
import { repeat } from './repeat.mjs'
import { round, secondsSince, succeeds, timed } from './round.mjs'
import { STEPS } from './steps.mjs'

/** @typedef {import('./round.mjs').Results} Results */

const ready = fileURLToPath(new URL('../../js/build/ready.mjs', import.meta.url))

const { names, more } = chosenBy(process.argv.slice(2))
const { times, isBusy, extra } = optionsOf(more)
/** Parts that some of the steps need, which are built once, before steps that run at the same time read them. */
const parts = [
  ...(names.some((name) => STEPS[name].isOfPackage) ? ['--package'] : []),
  ...(names.some((name) => STEPS[name].isOfCrate) ? ['--crate'] : []),
]
const start = performance.now()

/** @type {Results} */
const readied = new Map()
const isReady = await timed(
  'ready',
  () => succeeds({ program: process.execPath, args: [ready, '--test', ...parts] }),
  readied,
)
const arePassed = isReady && times > 0 ? await repeat({ names, extra, times, isBusy }) : await once()
process.exitCode = arePassed ? 0 : 1

/** Returns the steps named first, and the arguments behind their names. @param {readonly string[]} args */
function chosenBy([first = 'quick', ...others]) {
  const end = others.findIndex((arg) => !(arg in STEPS))
  const more = end < 0 ? [] : others.slice(end)
  const named = [first, ...others.slice(0, others.length - more.length)]
  return { names: [...new Set(named.flatMap(namesOf))], more }
}

/** @param {string} which the steps of a speed, all of them, or one */
function namesOf(which) {
  const all = Object.keys(STEPS)
  if (which === 'all') return all.filter((name) => STEPS[name].speed !== 'whole')
  const some = all.filter((name) => name === which || STEPS[name].speed === which)
  if (some.length > 0) return some
  return refused(`there is no step ${which}: expected one of ${all.join(', ')}, or quick, long, all or whole`)
}

/** Splits off our own options; the rest is for the step. @param {readonly string[]} args */
function optionsOf(args) {
  const at = args.indexOf('--repeat')
  const times = at < 0 ? 0 : Number(args[at + 1])
  if (at >= 0 && !(Number.isInteger(times) && times > 0))
    return refused(`--repeat: expected a number of rounds, got ${args[at + 1]}`)
  const isBusy = args.includes('--busy')
  if (isBusy && at < 0) return refused('--busy: expected --repeat with it')
  const extra = args.filter(
    (arg, place) => arg !== '--busy' && (at < 0 || (place !== at && place !== at + 1)),
  )
  return { times, isBusy, extra }
}

/** @param {string} why @returns {never} */
function refused(why) {
  console.error(why)
  process.exit(1)
}

async function once() {
  const results = isReady ? await round({ names, extra }) : new Map()
  console.log(table(new Map([...readied, ...results])))
  return names.every((name) => results.get(name)?.isPassed)
}

/** @param {Results} results */
function table(results) {
  const rows = ['ready', ...names].map((name) => {
    const { seconds, isPassed } = results.get(name) ?? {}
    const state = seconds === undefined ? 'not run' : isPassed ? 'passed' : 'FAILED'
    return row(name, state, seconds, STEPS[name]?.what ?? 'packages, core, TypeScript')
  })
  return ['', '── what took how long ──', ...rows, row('', 'in all', secondsSince(start))].join('\n')
}

/** @param {string} name @param {string} state @param {number | undefined} seconds @param {string} [what] */
function row(name, state, seconds, what = '') {
  const time = seconds === undefined ? '' : `${seconds.toFixed(1)} s`
  return `${name.padEnd(14)}${state.padEnd(9)}${time.padStart(8)}   ${what}`.trimEnd()
}
