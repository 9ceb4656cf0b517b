// Prints one table in 30 seconds (`npm run bench -- --quick`): our CPU time, and that of other libraries as
// multiples of ours. The contenders take turns in blocks, so that other load on the machine affects all of
// them. Ratios vary by up to a tenth between processes, so three processes measure.

import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { medianOf } from './suites/blocks.mjs'

/** @typedef {import('./quick-rows.mjs').MeasuredRow} MeasuredRow */
/**
 * @typedef {{ median: number, half: number }} Ratio `median` is a multiple of our time; `half` is half the
 * width of its interval, as a share of `median`
 */

const run = promisify(execFile)
const PROCESS = fileURLToPath(new URL('quick-process.mjs', import.meta.url))

const PROCESSES = 3
/** Seconds per process. The first results appear after the first process. */
const SECONDS = 10
/** Maximum half-width of a ratio's interval, as a share of the ratio. */
const MARGIN = 0.1

/**
 * @param {{ seconds?: number, print?: (text: string) => void, tell?: (text: string) => void }} [settings]
 *   `seconds` of each process
 * @returns {Promise<boolean>} whether all ratios are accurate to 10 %
 */
export async function quick({ seconds = SECONDS, print = console.log, tell = console.error } = {}) {
  /** @type {MeasuredRow[][]} */
  const processes = []
  for (let at = 1; at <= PROCESSES; at++) {
    const { stdout } = await run(process.execPath, [PROCESS, `${seconds}`])
    processes.push(JSON.parse(stdout))
    if (at < PROCESSES) tell(`\n${tableOf(processes)}\n\n${(PROCESSES - at) * seconds} s are left.`)
  }
  print(`\n${tableOf(processes)}\n`)
  const isRight = ratiosOf(processes)
    .flat()
    .every(({ half }) => half <= MARGIN)
  print(noteOf(isRight))
  return isRight
}

/**
 * Returns the ratios of all contenders but ours, row by row.
 *
 * @param {readonly MeasuredRow[][]} processes
 * @returns {Ratio[][]}
 */
function ratiosOf(processes) {
  const [rows = []] = processes
  return rows.map(({ contenders }, row) =>
    contenders.slice(1).map((_, at) =>
      ratioOf(
        processes.map((one) => one[row]?.contenders ?? []),
        at + 1,
      ),
    ),
  )
}

/**
 * Returns the median of all rounds. Its interval reaches at least to both ends of the rounds' 95 % interval,
 * and to the median of each process.
 *
 * @param {readonly MeasuredRow['contenders'][]} processes
 * @param {number} at
 * @returns {Ratio}
 */
function ratioOf(processes, at) {
  const each = processes.map((contenders) =>
    (contenders[at]?.micros ?? []).map(
      (micros, round) => micros / (contenders[0]?.micros[round] ?? Number.NaN),
    ),
  )
  const { low, median, high } = medianOf(each.flat())
  const all = [low, high, ...each.map((ratios) => medianOf(ratios).median)]
  return { median, half: Math.max(...all.map((one) => Math.abs(one - median))) / median }
}

/** @param {readonly MeasuredRow[][]} processes */
function tableOf(processes) {
  const [rows = []] = processes
  const heads = ['CPU time', ...(rows[0]?.contenders.map(({ name }) => name) ?? [])]
  const ratios = ratiosOf(processes)
  const lines = rows.map(({ label }, row) => {
    const ours = processes.flatMap((one) => one[row]?.contenders[0]?.micros ?? [])
    return [label, `${medianOf(ours).median.toFixed(1)} µs`, ...(ratios[row]?.map(ratioText) ?? [])]
  })
  const widths = heads.map((_, at) => Math.max(...[heads, ...lines].map((line) => line[at]?.length ?? 0)))
  return [heads, ...lines]
    .map((line) =>
      line.map((text, at) => (at === 0 ? text.padEnd(widths[at]) : text.padStart(widths[at]))).join('  '),
    )
    .join('\n')
}

/** @param {Ratio} ratio */
function ratioText({ median, half }) {
  return `${median.toPrecision(2)}× ± ${Math.ceil(100 * half)} %`
}

/** @param {boolean} isRight */
function noteOf(isRight) {
  const facts = `Others as multiples of ours: medians of the rounds of ${PROCESSES} processes. Lower is better.`
  if (isRight) return facts
  return `${facts}\nA process or a round differs by more than 10 %: run it again when less is going on.`
}
