import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { summary } from './statistics.mjs'

const FOLDER = fileURLToPath(new URL('../results/', import.meta.url))

/**
 * Writes a measurement to bench/results/<suite>.json: every sample, in seconds for all calls of a round.
 *
 * @param {import('../measure.mjs').Measurement} measurement
 * @param {ReturnType<typeof import('./machine.mjs').machine>} machine
 * @param {import('./bars.mjs').Verdict[]} verdicts
 * @returns {Promise<string>} the path
 */
export async function save({ suite, effort, cells }, machine, verdicts) {
  const rows = cells.map(({ cell, samples }) => ({
    ...cell,
    contenders: Object.fromEntries(
      [...samples].map(([name, seconds]) => [name, { ...summary(seconds), samples: seconds }]),
    ),
  }))
  const { name, title, published } = suite
  const result = { suite: name, title, machine, effort, rows, published, verdicts }
  const path = join(FOLDER, `${name}.json`)
  await mkdir(FOLDER, { recursive: true })
  await writeFile(path, `${JSON.stringify(result, null, 2)}\n`)
  return path
}
