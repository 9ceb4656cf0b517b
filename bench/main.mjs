// npm run bench [suite…] [-- --quick]
//
// Runs the suites, prints a table for each and whether the bars were met, and leaves the figures in
// bench/results, with a report to look at. A slow machine is no failure: the exit code says only whether everything worked.

import { parseArgs } from 'node:util'
import { withKeys } from './keys.mjs'
import { measure } from './measure.mjs'
import { verdicts, verdictText } from './report/bars.mjs'
import { machine, machineText } from './report/machine.mjs'
import { save, saveReport } from './report/save.mjs'
import { table } from './report/table.mjs'
import { SUITES } from './suites/all.mjs'

/** As in the report. */
const FULL = { calls: 5000, rounds: 10, isQuick: false }
/** Enough to see that everything runs. */
const QUICK = { calls: 20, rounds: 2, isQuick: true }

try {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { quick: { type: 'boolean', default: false } },
  })
  await run(chosen(positionals), values.quick)
} catch (error) {
  console.error(
    error instanceof RangeError || error.code?.startsWith('ERR_PARSE_ARGS') ? error.message : error,
  )
  process.exitCode = 1
}

/** @param {string[]} names */
function chosen(names) {
  const known = SUITES.map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown) throw new RangeError(`suite: expected one of ${known.join(', ')}, got ${unknown}`)
  return names.length === 0 ? SUITES : SUITES.filter(({ name }) => names.includes(name))
}

/**
 * @param {readonly import('./suites/suite.mjs').Suite[]} suites
 * @param {boolean} isQuick
 */
async function run(suites, isQuick) {
  const facts = machine()
  console.log(`${machineText(facts)}\n`)
  const measurements = await withKeys(async (keys) => {
    const done = []
    for (const suite of suites) {
      const measurement = await measure(suite, isQuick ? QUICK : FULL, keys, console.error)
      console.log(`\n${table(measurement)}`)
      console.log(`${await save(measurement, facts, verdicts([measurement]))}\n`)
      done.push(measurement)
    }
    return done
  })
  console.log(verdictText(verdicts(measurements), isQuick))
  console.log(await saveReport(SUITES.map(({ name }) => name)))
}
