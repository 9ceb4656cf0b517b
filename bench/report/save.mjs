import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { charts } from './chart-data.mjs'
import { html } from './html.mjs'
import { summary } from './statistics.mjs'
import { tables } from './table.mjs'

/**
 * Returns a measurement for the results file: each sample in seconds per call, and the data of the HTML
 * report.
 *
 * @param {import('../measure.mjs').Measurement} measurement
 * @param {ReturnType<typeof import('./machine.mjs').machine>} machine
 * @param {import('./bars.mjs').Verdict[]} verdicts
 */
function resultOf(measurement, machine, verdicts) {
  const { suite, effort, cells } = measurement
  const rows = cells.map(({ cell, samples, bytes, garbage }) => ({
    ...cell,
    contenders: Object.fromEntries(
      [...samples].map(([name, seconds]) => {
        const kept = { bytes: bytes.get(name), garbage: garbage.get(name), samples: seconds }
        return [name, { ...summary(seconds), ...kept }]
      }),
    ),
  }))
  const shown = { title: suite.title, tables: tables(measurement), charts: charts(measurement) }
  return { suite: suite.name, machine, effort, rows, verdicts, shown }
}

/** @typedef {ReturnType<typeof resultOf>} Result */

/**
 * Writes a measurement to <folder>/<suite>.json.
 *
 * @param {string} folder
 * @param {Parameters<typeof resultOf>} measured
 * @returns {Promise<string>} path of the file
 */
export async function save(folder, ...measured) {
  const result = resultOf(...measured)
  const path = join(folder, `${result.suite}.json`)
  await mkdir(folder, { recursive: true })
  await writeFile(path, `${JSON.stringify(result, null, 2)}\n`)
  return path
}

/**
 * Writes <folder>/report.html from the last result of each suite. Running one suite again keeps the results
 * of the other suites.
 *
 * @param {string} folder
 * @param {readonly string[]} suites
 * @returns {Promise<string>} path of the file
 */
export async function saveReport(folder, suites) {
  const results = []
  for (const suite of suites) results.push(await lastResult(folder, suite))
  const path = join(folder, 'report.html')
  await writeFile(path, html(results.filter((result) => result !== undefined)))
  return path
}

/** @param {string} folder @param {string} suite @returns {Promise<Result | undefined>} */
async function lastResult(folder, suite) {
  try {
    const result = JSON.parse(await readFile(join(folder, `${suite}.json`), 'utf8'))
    // Skip results that an earlier version of the benchmark wrote without data for the report.
    return result.shown?.title && result
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined
    throw error
  }
}
