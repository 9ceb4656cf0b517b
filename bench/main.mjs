// Runs the benchmark suites:
//
// npm run bench [-- suite… --quick --to folder]
//
// With only --quick, prints one table in 30 s (quick.mjs). With suites and --quick, runs each suite so briefly that
// its figures allow no verdict. `all` stands for all suites. Without --quick, runs the suites, prints a table for
// each, and says which bars (promises about speed, report/bars.mjs) were met. Writes the figures and an HTML report
// to bench/results (quick runs: bench/results/quick). The exit code reports only errors: a missed bar is not a
// failure.

import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { withKeys } from './keys.mjs'
import { measure } from './measure.mjs'
import { quick } from './quick.mjs'
import { verdicts, verdictText } from './report/bars.mjs'
import { machine, machineText } from './report/machine.mjs'
import { save, saveReport } from './report/save.mjs'
import { text } from './report/table.mjs'
import { SUITES } from './suites/all.mjs'

/** @typedef {import('./suites/suite.mjs').Suite} Suite */

/** Effort of the performance report's experiments. */
const FULL = { calls: 5000, rounds: 10, isQuick: false }
/** Effort of a quick run, which only shows that everything works. */
const QUICK = { calls: 20, rounds: 2, isQuick: true }

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false }, to: { type: 'string' } },
  })
  const { quick: isQuick, to = resultsFolder(isQuick) } = values
  if (isQuick && positionals.length === 0) {
    console.log(machineText(machine()))
    console.error('one table in 30 s, by CPU time: the first figures come after 10 s')
    await quick()
  } else {
    const isAll = positionals.length === 0 || positionals.join() === 'all'
    await run(chosen(isAll ? [] : positionals).filter(isAll ? canRun : isPrepared), isQuick, to)
  }
} catch (error) {
  console.error(
    error instanceof RangeError || error.code?.startsWith('ERR_PARSE_ARGS') ? error.message : error,
  )
  // Exit immediately, because open connections of a failed suite would keep the process alive.
  process.exit(1)
}

/**
 * Returns the folder for results. Quick runs have a separate folder, so that they do not replace
 * measurements.
 *
 * @param {boolean} isQuick
 */
function resultsFolder(isQuick) {
  return fileURLToPath(new URL(isQuick ? 'results/quick/' : 'results/', import.meta.url))
}

/** @param {string[]} names */
function chosen(names) {
  const known = SUITES.map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown) throw new RangeError(`suite: expected one of ${known.join(', ')}, got ${unknown}`)
  return names.length === 0 ? SUITES : SUITES.filter(({ name }) => names.includes(name))
}

/**
 * Prepares a suite, and returns true. Called for all requested suites before the first one runs. Throws if
 * something that the suite needs is missing.
 *
 * @param {Suite} suite
 */
function isPrepared({ prepare }) {
  prepare?.()
  return true
}

/** Returns whether a suite can run. Prints a note if a requirement is missing. @param {Suite} suite */
function canRun(suite) {
  try {
    return isPrepared(suite)
  } catch (error) {
    console.error(`Left out: ${suite.name}. ${/** @type {Error} */ (error).message}`)
    return false
  }
}

/**
 * @param {readonly Suite[]} suites
 * @param {boolean} isQuick
 * @param {string} folder
 */
async function run(suites, isQuick, folder) {
  const facts = machine()
  const began = performance.now()
  console.log(`${machineText(facts)}\n`)
  const much = isQuick ? 'two minutes, too short to judge' : 'twenty minutes on a quiet machine'
  if (suites.length > 1) console.error(`${suites.length} suites, about ${much}\n`)
  const measurements = await withKeys(async (keys) => {
    const done = []
    for (const [at, suite] of suites.entries()) {
      const progress = (/** @type {string} */ text) => console.error(`${at + 1} of ${suites.length}, ${text}`)
      const measurement = await measure(suite, isQuick ? QUICK : FULL, keys, progress)
      console.log(`\n${text(measurement)}`)
      console.log(`${await save(folder, measurement, facts, verdicts([measurement]))}\n`)
      done.push(measurement)
    }
    return done
  })
  console.log(verdictText(verdicts(measurements), isQuick))
  console.error(`It took ${Math.round((performance.now() - began) / 1000)} s.`)
  console.log(
    await saveReport(
      folder,
      SUITES.map(({ name }) => name),
    ),
  )
}
