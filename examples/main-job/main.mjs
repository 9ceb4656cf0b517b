// Annotates each record of a data set, while another process verifies each annotation (`npm start`):
//
//   npm start -- [file] [--limit n] [--help]

import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { red } from '../shared/terminal.mjs'
import { aborted, annotateAll } from './annotate.mjs'
import { openDataset } from './dataset.mjs'
import { openJob } from './job.mjs'
import { showProgress } from './progress.mjs'
import { introduce, printAttempts, printCalls, printWhereNext } from './report.mjs'
import { tamper } from './tamper.mjs'

const WEATHER = new URL(
  '../../node_modules/vega-datasets/data/seattle-weather-hourly-normals.csv',
  import.meta.url,
)

const HELP = `npm start -- [file] [--limit n]

Annotates every record of a file, four calls each, publishes the bundles to a broker of its own, and verifies every
one of them in another process. Then it alters some, to see that it is noticed.

  file       .csv and .ndjson (or .jsonl): a payload for each record; any other: one for each 64 KiB.
             Unless given: 8,759 hours of weather in Seattle.
  --limit n  only the first n records, or pieces

For example:
  npm start -- --limit 100
  npm start -- my-data.csv`

const interrupt = new AbortController()
process.once('SIGINT', () => interrupt.abort(new Error('stopped by Ctrl-C')))
// Exit quietly when `npm start | head` closes stdout early. The other processes end, too.
process.stdout.on('error', ({ code }) => process.exit(code === 'EPIPE' ? 0 : 1))

try {
  const asked = readArguments()
  if (asked.help) console.log(HELP)
  else process.exitCode = (await run(asked, interrupt.signal)) ? 0 : 1
} catch (error) {
  const isSlip = error.code?.startsWith('ERR_PARSE_ARGS')
  const text = isSlip ? `${error.message.split('. ')[0]}: see npm start -- --help` : error.message
  console.error(red(`main-job: ${text}`))
  // Exit at once after Ctrl-C, because the job may still be opening.
  if (interrupt.signal.aborted) process.exit(130)
  process.exitCode = 1
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { limit: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
  })
  const limit = Number(values.limit ?? Number.POSITIVE_INFINITY)
  if (!(limit >= 1)) throw new Error(`--limit: expected 1 or more, got ${values.limit}`)
  if (positionals.length > 1) throw new Error(`expected one file, got ${positionals.length}`)
  return { file: positionals[0] ?? relative('.', fileURLToPath(WEATHER)), limit, help: values.help }
}

/**
 * @param {{ file: string, limit: number }} asked
 * @param {AbortSignal} interrupted
 */
async function run({ file, limit }, interrupted) {
  const dataset = await Promise.race([openDataset(file, limit), aborted(interrupted)])
  const job = await Promise.race([openJob(dataset), aborted(interrupted)])
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
  const reading = dataset.read()
  const progress = showProgress(job, reading)
  try {
    await annotateAll(dataset, reading, job, signal)
    await job.verifier.counted(job.tally.published, signal)
  } finally {
    progress.end()
  }
}
