import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { charts } from './chart-data.mjs'
import { html } from './html.mjs'
import { summary } from './statistics.mjs'
import { caption, groups } from './table.mjs'

const FOLDER = fileURLToPath(new URL('../results/', import.meta.url))

/**
 * A measurement as it is kept: every sample in seconds per call, and what the report shows.
 *
 * @param {import('../measure.mjs').Measurement} measurement
 * @param {ReturnType<typeof import('./machine.mjs').machine>} machine
 * @param {import('./bars.mjs').Verdict[]} verdicts
 */
function resultOf(measurement, machine, verdicts) {
  const { suite, effort, cells } = measurement
  const rows = cells.map(({ cell, samples }) => ({
    ...cell,
    contenders: Object.fromEntries(
      [...samples].map(([name, seconds]) => [name, { ...summary(seconds), samples: seconds }]),
    ),
  }))
  const shown = { caption: caption(measurement), groups: groups(measurement), charts: charts(measurement) }
  return { suite: suite.name, machine, effort, rows, verdicts, shown }
}

/** @typedef {ReturnType<typeof resultOf>} Result */

/**
 * Writes a measurement to bench/results/<suite>.json.
 *
 * @param {Parameters<typeof resultOf>} measured
 * @returns {Promise<string>} the path
 */
export async function save(...measured) {
  const result = resultOf(...measured)
  const path = join(FOLDER, `${result.suite}.json`)
  await mkdir(FOLDER, { recursive: true })
  await writeFile(path, `${JSON.stringify(result, null, 2)}\n`)
  return path
}

/**
 * Writes bench/results/report.html from the last result of each suite, so that running one suite again does
 * not lose the others.
 *
 * @param {readonly string[]} suites
 * @returns {Promise<string>} the path
 */
export async function saveReport(suites) {
  const results = []
  for (const suite of suites) results.push(await lastResult(suite))
  const path = join(FOLDER, 'report.html')
  await writeFile(path, html(results.filter((result) => result !== undefined)))
  return path
}

/** @param {string} suite @returns {Promise<Result | undefined>} */
async function lastResult(suite) {
  try {
    const result = JSON.parse(await readFile(join(FOLDER, `${suite}.json`), 'utf8'))
    // Results of before there was a report have nothing to show.
    return result.shown && result
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined
    throw error
  }
}
