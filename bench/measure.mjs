// Runs a suite: every contender in every cell, round after round.

import { Bench } from 'tinybench'

/**
 * @typedef {import('./suites/suite.mjs').OpenContender} OpenContender
 * @typedef {import('./suites/suite.mjs').Suite} Suite
 * @typedef {import('./suites/suite.mjs').Cell} Cell
 *
 * @typedef {object} Effort
 * @property {number} calls per sample
 * @property {number} rounds samples per contender and cell
 * @property {boolean} isQuick too short to judge anything
 *
 * @typedef {Map<string, number[]>} Samples by contender: seconds per call, in the rounds' order
 * @typedef {{ cell: Cell, samples: Samples }} MeasuredCell
 * @typedef {{ suite: Suite, effort: Effort, cells: MeasuredCell[] }} Measurement
 *
 * @typedef {{ cell: Cell, calls: number, contenders: [name: string, contender: OpenContender][] }} OpenCell
 */

/**
 * @param {Suite} suite
 * @param {Effort} effort
 * @param {import('./keys.mjs').Keys} keys
 * @param {(text: string) => void} progress
 * @returns {Promise<Measurement>}
 */
export async function measure(suite, effort, keys, progress) {
  const open = []
  for (const cell of suite.cells) open.push(await openCell(suite, cell, effort, keys))
  const cells = open.map(({ cell, contenders }) => ({ cell, samples: emptySamples(contenders) }))
  for (let round = 0; round < effort.rounds; round++) {
    progress(`${suite.name}: round ${round + 1} of ${effort.rounds}`)
    for (const [index, cell] of open.entries()) {
      const { samples } = /** @type {MeasuredCell} */ (cells[index])
      await measureOnce(cell, round, samples)
    }
  }
  for (const { contenders } of open) await Promise.all(contenders.map(([, one]) => one.close?.()))
  return { suite, effort, cells }
}

/** @param {OpenCell['contenders']} contenders @returns {Samples} */
function emptySamples(contenders) {
  return new Map(contenders.map(([name]) => [name, []]))
}

/**
 * @param {Suite} suite
 * @param {Cell} cell
 * @param {Effort} effort
 * @param {import('./keys.mjs').Keys} keys
 * @returns {Promise<OpenCell>}
 */
async function openCell(suite, cell, effort, keys) {
  const contenders = Object.entries(await suite.open(cell, keys))
  return { cell, calls: Math.min(effort.calls, cell.mostCalls ?? Infinity), contenders }
}

/**
 * One sample per contender. tinybench runs all iterations of a task before it starts the next one, so a
 * noisy minute would hit one contender only; one short pass per round puts the contenders next to each
 * other in time, and each round starts with another one.
 *
 * @param {OpenCell} cell
 * @param {number} round
 * @param {Samples} samples
 */
async function measureOnce({ contenders, calls }, round, samples) {
  const warmup = round === 0
  const once = { iterations: 1, time: 0, warmup, warmupIterations: 1, warmupTime: 0 }
  const bench = new Bench({ ...once, throws: true, retainSamples: true })
  const callsOf = new Map()
  for (const [name, { run, units = 1 }] of rotated(contenders, round)) {
    const runs = Math.ceil(calls / units)
    callsOf.set(name, runs * units)
    // Said to be asynchronous, or tinybench calls it once more to find out.
    bench.add(name, () => runInTurn(run, runs), { async: true })
  }
  await bench.run()
  for (const { name, result } of bench.tasks) {
    if (result.state !== 'completed') throw new Error(`${name}: expected to complete, got ${result.state}`)
    samples.get(name)?.push(result.latency.mean / 1000 / callsOf.get(name))
  }
}

/**
 * Waits only where there is something to wait for: a hash of 64 bytes is faster than an `await`.
 *
 * @param {OpenContender['run']} run
 * @param {number} times
 */
async function runInTurn(run, times) {
  for (let time = 0; time < times; time++) {
    const result = run()
    if (result instanceof Promise) await result
  }
}

/**
 * @template T
 * @param {T[]} list
 * @param {number} by
 */
function rotated(list, by) {
  const start = by % list.length
  return [...list.slice(start), ...list.slice(0, start)]
}
