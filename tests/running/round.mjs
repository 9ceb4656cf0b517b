// Runs one round of the chosen steps: two at a time, with a third if it waits most of its time; steps that measure run alone.
// No step begins after another one has failed, unless there are to be reports of all.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { STEPS } from './steps.mjs'

/** @typedef {import('./steps.mjs').Step} Step */
/** @typedef {Map<string, { seconds: number, isPassed: boolean }>} Results by the names of the steps that were run */
/**
 * @typedef {object} RoundOptions
 * @property {readonly string[]} names of steps
 * @property {readonly string[]} [extra] further arguments of each command
 * @property {string} [reports] a folder for what Vitest found, a file for each step; failed steps alone are shown then
 */

/** Queues of steps for each phase of a round, and how many of each queue run at a time. */
const PHASES = [
  [[isQuick, 2]],
  [
    [isComputing, 2],
    [isWaiting, 1],
  ],
  [[isMeasuring, 1]],
]

/** @param {RoundOptions} options @returns {Promise<Results>} */
export async function round(options) {
  const run = { ...options, results: new Map(), failures: [] }
  for (const queues of PHASES) await phase(run, queues)
  // Print the output of failed steps last, where a reader looks first.
  process.stdout.write(Buffer.concat(run.failures))
  return run.results
}

/** @param {string} name @param {() => Promise<boolean>} act @param {Results} results */
export async function timed(name, act, results) {
  const start = performance.now()
  const isPassed = await act()
  results.set(name, { seconds: secondsSince(start), isPassed })
  return isPassed
}

/** @param {number} start */
export function secondsSince(start) {
  return (performance.now() - start) / 1000
}

/** @param {Step} step */
function isQuick({ speed }) {
  return speed === 'quick'
}

/** @param {Step} step */
function isComputing(step) {
  return !isQuick(step) && !isWaiting(step) && !isMeasuring(step)
}

/** @param {Step} step */
function isWaiting({ isWaiting = false }) {
  return isWaiting
}

/** @param {Step} step */
function isMeasuring({ isMeasuring = false }) {
  return isMeasuring
}

/**
 * Runs the chosen steps of a phase in their order, and of each queue only its number at a time. A step that runs
 * alone shows its output at once.
 */
async function phase(run, queues) {
  const lanes = queues.flatMap(([isMeant, atOnce]) => {
    const names = run.names.filter((name) => isMeant(STEPS[name]))
    return Array(Math.min(atOnce, names.length)).fill(names)
  })
  const isShown = !run.reports && lanes.length === 1
  await Promise.all(lanes.map((names) => lane(run, names, isShown)))
}

/** Runs steps one after another. @param {string[]} names of steps; other lanes may take from the same list */
async function lane(run, names, isShown) {
  for (let name = names.shift(); name !== undefined && goesOn(run); name = names.shift()) {
    const step = name
    await timed(step, () => passes(run, step, isShown), run.results)
  }
}

function goesOn({ reports, results }) {
  return reports !== undefined || [...results.values()].every(({ isPassed }) => isPassed)
}

/**
 * Runs a step, and returns whether it passed. Its output appears at once if it runs alone, otherwise in one piece: at
 * its end, or last if it failed.
 */
async function passes({ extra = [], reports, failures }, name, isShown) {
  if (!reports) console.log(`\n── ${name} ──${isShown ? '' : ' begins'}`)
  const said = []
  const env = reports ? { TEST_REPORT: join(reports, `${name}.json`) } : {}
  let isPassed = true
  for (const one of STEPS[name].commands()) {
    const command = { ...one, args: [...one.args, ...extra], env: { ...one.env, ...env } }
    isPassed &&= await succeeds(command, isShown ? undefined : said)
  }
  if (isShown || (reports && isPassed)) return isPassed
  const whole = Buffer.concat([Buffer.from(`\n── ${name} ──${isPassed ? '' : ' FAILED'}\n`), ...said])
  if (isPassed) process.stdout.write(whole)
  else failures.push(whole)
  return isPassed
}

/**
 * @param {{ program: string, args: string[], cwd?: string, env?: object }} command
 * @param {Buffer[]} [said] takes its output, which otherwise goes to the terminal
 * @returns {Promise<boolean>}
 */
export function succeeds({ program, args, cwd, env: more }, said) {
  const output = said ? 'pipe' : 'inherit'
  const env = { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }), ...more }
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
