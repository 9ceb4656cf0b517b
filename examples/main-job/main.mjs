// What `npm start` runs: annotates every record of a data set, while another process verifies every annotation.
//
//   node examples/main-job/main.mjs [file.csv | file.ndjson | any other file]

import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { red } from '../shared/terminal.mjs'
import { annotateAll } from './annotate.mjs'
import { openDataset } from './dataset.mjs'
import { openJob } from './job.mjs'
import { showProgress } from './progress.mjs'
import { introduce, printAttempts, printCalls, printWhereNext } from './report.mjs'
import { tamper } from './tamper.mjs'

const WEATHER = new URL(
  '../../node_modules/vega-datasets/data/seattle-weather-hourly-normals.csv',
  import.meta.url,
)

const interrupt = new AbortController()
process.once('SIGINT', () => interrupt.abort(new Error('stopped by Ctrl-C')))

try {
  const isVerified = await run(process.argv[2] ?? relative('.', fileURLToPath(WEATHER)), interrupt.signal)
  process.exitCode = isVerified ? 0 : 1
} catch (error) {
  console.error(red(`main-job: ${error.message}`))
  process.exitCode = interrupt.signal.aborted ? 130 : 1
}

/**
 * @param {string} file
 * @param {AbortSignal} interrupted
 */
async function run(file, interrupted) {
  const dataset = await openDataset(file)
  const job = await openJob(dataset)
  const signal = AbortSignal.any([interrupted, job.verifier.failed])
  try {
    introduce(dataset, job)
    await annotate(dataset, job, signal)
    const areVerified = printCalls(job)
    const areNoticed = printAttempts(await tamper(job, signal))
    printWhereNext()
    return areVerified && areNoticed
  } finally {
    await job.close()
  }
}

/**
 * @param {import('./dataset.mjs').Dataset} dataset
 * @param {import('./job.mjs').Job} job
 * @param {AbortSignal} signal
 */
async function annotate(dataset, job, signal) {
  const progress = showProgress(job)
  try {
    await annotateAll(dataset, job, signal)
    await job.verifier.counted(job.tally.published, signal)
  } finally {
    progress.end()
  }
}
