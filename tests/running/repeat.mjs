// Runs the chosen steps again and again, and reports failures with their counts: a test must hold every time, however
// busy the machine is.

import { fork } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { round, secondsSince } from './round.mjs'

const load = fileURLToPath(new URL('load.mjs', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * @typedef {object} Rounds
 * @property {number} times
 * @property {boolean} isBusy whether all cores have other work meanwhile
 * @property {readonly string[]} names of steps
 * @property {readonly string[]} extra further arguments of each command
 */

/** Repeats rounds, and prints each outcome. @param {Rounds} rounds @returns {Promise<boolean>} true if all passed */
export async function repeat({ times, isBusy, names, extra }) {
  /** Number of failures by the name of a test or step. @type {Map<string, number>} */
  const counts = new Map()
  const done = { rounds: 0, failed: 0 }
  const interrupted = () => {
    console.log(table(done, counts))
    process.exit(130)
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, interrupted)
  const others = isBusy ? Array.from({ length: availableParallelism() }, () => fork(load)) : []
  while (done.rounds < times) {
    const [start, failed] = [performance.now(), await failedIn({ names, extra })]
    for (const name of failed) counts.set(name, 1 + (counts.get(name) ?? 0))
    done.rounds++
    if (failed.length > 0) done.failed++
    const verdict = failed.length > 0 ? 'FAILED' : 'passed'
    console.log(`round ${done.rounds} of ${times} ${verdict}, ${secondsSince(start).toFixed(0)} s`)
    for (const name of failed) console.log(`  ${name}`)
  }
  for (const other of others) other.disconnect()
  console.log(table(done, counts))
  return done.failed === 0
}

/** Returns the failures of one round: tests, or steps that do not name their failed tests. */
async function failedIn({ names, extra }) {
  const reports = mkdtempSync(join(tmpdir(), 'alvarium-rounds-'))
  const remove = () => rmSync(reports, { recursive: true })
  process.once('exit', remove)
  const results = await round({ names, extra, reports })
  const failed = [...results].flatMap(([name, { isPassed }]) => {
    if (isPassed) return []
    const report = join(reports, `${name}.json`)
    const tests = existsSync(report) ? failedTests(JSON.parse(readFileSync(report, 'utf8'))) : []
    return tests.length > 0 ? tests.map((test) => `${name}: ${test}`) : [name]
  })
  process.off('exit', remove)
  remove()
  return failed
}

/**
 * Returns the names of failed tests, and of files that failed outside of their tests.
 *
 * @param {{ testResults: { name: string, status: string, assertionResults: { status: string, ancestorTitles: string[], title: string }[] }[] }} report
 *   as Vitest's JSON reporter writes it
 */
export function failedTests({ testResults }) {
  return testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, assertionResults }) => {
      const file = relative(root, name)
      const failed = assertionResults.filter(({ status }) => status === 'failed')
      if (failed.length === 0) return [file]
      return failed.map(({ ancestorTitles, title }) => [file, ...ancestorTitles, title].join(' > '))
    })
}

/** @param {{ rounds: number, failed: number }} done @param {Map<string, number>} counts */
export function table({ rounds, failed }, counts) {
  const most = [...counts].sort(([, one], [, other]) => other - one)
  const rows = most.map(([name, count]) => `${`${count}`.padStart(6)}   ${name}`)
  return [
    '',
    `── rounds: ${rounds}, failed: ${failed} ──`,
    ...(rows.length > 0 ? [' times   what', ...rows] : []),
  ].join('\n')
}
