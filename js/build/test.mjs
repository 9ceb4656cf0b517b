// `npm test`: everything that decides whether a change is right, in the order of how fast it fails.
//
//   npm test                       the quick steps, in three to seven minutes
//   npm run test:long              the long ones: two at a time, then those that measure, alone
//   npm run test:all               both; .ci/run is as much
//   npm test -- node tests/x.test  one step, with arguments of its own
//
// At the end it says what failed, and which step took how long: those that had not begun when one failed are not run.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { STEPS } from './steps.mjs'

/** @typedef {import('./steps.mjs').Step} Step */

const ready = fileURLToPath(new URL('ready.mjs', import.meta.url))

const [chosen = 'quick', ...extra] = process.argv.slice(2)
const names = namesOf(chosen)
/** @type {Map<string, { seconds: number, isPassed: boolean }>} */
const results = new Map()
/** What failed steps said, which is worth most where a reader looks first: last. @type {Buffer[]} */
const failures = []
const start = performance.now()

const isReady = await timed('ready', () => succeeds({ program: process.execPath, args: [ready, '--test'] }))
const arePassed =
  isReady && (await pass(isQuick, 2)) && (await pass(isBeside, 2)) && (await pass(isMeasuring, 1))
process.stdout.write(Buffer.concat(failures))
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

/** @param {Step} step */
function isQuick({ speed }) {
  return speed === 'quick'
}

/** @param {Step} step */
function isBeside(step) {
  return !isQuick(step) && !isMeasuring(step)
}

/** @param {Step} step */
function isMeasuring({ isMeasuring = false }) {
  return isMeasuring
}

/** Runs those of the chosen steps in their order, so many at a time; none is begun after one has failed. */
async function pass(isMeant, atOnce) {
  const waiting = names.filter((name) => isMeant(STEPS[name]))
  const isAlone = atOnce === 1 || waiting.length === 1
  let arePassed = true
  const lane = async () => {
    for (let name = waiting.shift(); name !== undefined && arePassed; name = waiting.shift()) {
      const isPassed = await timed(name, () => passes(name, isAlone))
      arePassed &&= isPassed
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  return arePassed
}

/** @param {string} name @param {() => Promise<boolean>} act */
async function timed(name, act) {
  const start = performance.now()
  const isPassed = await act()
  results.set(name, { seconds: secondsSince(start), isPassed })
  return isPassed
}

/** Says what the step says: at once when it is alone, else in one piece: when it has ended, or last if it failed. */
async function passes(name, isAlone) {
  console.log(`\n── ${name} ──${isAlone ? '' : ' begins'}`)
  const said = []
  let isPassed = true
  for (const one of STEPS[name].commands()) {
    isPassed &&= await succeeds({ ...one, args: [...one.args, ...extra] }, isAlone ? undefined : said)
  }
  if (isAlone) return isPassed
  const whole = Buffer.concat([Buffer.from(`\n── ${name} ──${isPassed ? '' : ' FAILED'}\n`), ...said])
  if (isPassed) process.stdout.write(whole)
  else failures.push(whole)
  return isPassed
}

/**
 * @param {{ program: string, args: string[], cwd?: string }} command
 * @param {Buffer[]} [said] takes its output, which otherwise goes to the terminal
 * @returns {Promise<boolean>}
 */
function succeeds({ program, args, cwd }, said) {
  const output = said ? 'pipe' : 'inherit'
  const env = process.stdout.isTTY ? { ...process.env, FORCE_COLOR: '1' } : process.env
  const child = spawn(program, args, { cwd, env, stdio: ['inherit', output, output] })
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => said?.push(bytes))
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve(fails(message, said)))
    child.once('close', (code, signal) => {
      resolve(code === 0 || fails(`${program} ${args.join(' ')} ended with ${signal ?? code}`, said))
    })
  })
}

/** @param {string} why @param {Buffer[]} [said] */
function fails(why, said) {
  if (said) said.push(Buffer.from(`\n${why}\n`))
  else console.error(`\n${why}`)
  return false
}

function table() {
  const rows = ['ready', ...names].map((name) => {
    const { seconds, isPassed } = results.get(name) ?? {}
    const state = seconds === undefined ? 'not run' : isPassed ? 'passed' : 'FAILED'
    return row(name, state, seconds, STEPS[name]?.what ?? 'packages, core, TypeScript')
  })
  return ['', '── what took how long ──', ...rows, row('', 'in all', secondsSince(start))].join('\n')
}

/** @param {number} start */
function secondsSince(start) {
  return (performance.now() - start) / 1000
}

/** @param {string} name @param {string} state @param {number | undefined} seconds @param {string} [what] */
function row(name, state, seconds, what = '') {
  const time = seconds === undefined ? '' : `${seconds.toFixed(1)} s`
  return `${name.padEnd(10)}${state.padEnd(9)}${time.padStart(8)}   ${what}`.trimEnd()
}
