// Runs a suite: every contender in every cell, round after round.

import { randomBytes } from 'node:crypto'
import { Bench } from 'tinybench'
import { CONTENDERS } from './contenders.mjs'

/**
 * @typedef {import('./contenders.mjs').ContenderName} ContenderName
 * @typedef {import('./contenders.mjs').OpenContender} OpenContender
 * @typedef {import('./suites/suite.mjs').Suite} Suite
 * @typedef {import('./suites/suite.mjs').Cell} Cell
 *
 * @typedef {object} Effort
 * @property {number} calls per sample
 * @property {number} rounds samples per contender and cell
 *
 * @typedef {Map<ContenderName, number[]>} Samples seconds for all calls of a round, in the rounds' order
 * @typedef {{ cell: Cell, samples: Samples }} MeasuredCell
 * @typedef {{ suite: Suite, effort: Effort, cells: MeasuredCell[] }} Measurement
 *
 * @typedef {{ cell: Cell, payload: Uint8Array, contenders: Map<ContenderName, OpenContender> }} OpenCell
 */

/**
 * @param {Suite} suite
 * @param {Effort} effort
 * @param {import('./contenders.mjs').Keys} keys
 * @param {(text: string) => void} progress
 * @returns {Promise<Measurement>}
 */
export async function measure(suite, effort, keys, progress) {
  const open = await Promise.all(suite.cells.map((cell) => openCell(cell, suite.contenders, keys)))
  const cells = open.map(({ cell }) => ({ cell, samples: emptySamples(suite.contenders) }))
  for (let round = 0; round < effort.rounds; round++) {
    progress(`${suite.name}: round ${round + 1} of ${effort.rounds}`)
    for (const [index, cell] of open.entries()) {
      const { samples } = /** @type {MeasuredCell} */ (cells[index])
      await measureOnce(cell, round, effort.calls, samples)
    }
  }
  for (const { contenders } of open) await Promise.all([...contenders.values()].map((one) => one.close()))
  return { suite, effort, cells }
}

/** @param {readonly ContenderName[]} names @returns {Samples} */
function emptySamples(names) {
  return new Map(names.map((name) => [name, []]))
}

/**
 * Opens the contenders, and refuses to measure one that does not do the work.
 *
 * @param {Cell} cell
 * @param {readonly ContenderName[]} names
 * @param {import('./contenders.mjs').Keys} keys
 * @returns {Promise<OpenCell>}
 */
async function openCell(cell, names, keys) {
  const payload = new Uint8Array(randomBytes(cell.payloadBytes))
  const contenders = new Map()
  for (const name of names) {
    const contender = await CONTENDERS[name](cell.annotators, keys)
    const count = await contender.check(payload)
    if (count !== cell.annotators) {
      throw new Error(`${name}: expected ${cell.annotators} annotations, got ${count}`)
    }
    contenders.set(name, contender)
  }
  return { cell, payload, contenders }
}

/**
 * One sample per contender. tinybench runs all iterations of a task before it starts the next one, so a
 * noisy minute would hit one contender only; one short pass per round puts the contenders next to each
 * other in time, and each round starts with another one.
 *
 * @param {OpenCell} cell
 * @param {number} round
 * @param {number} calls
 * @param {Samples} samples
 */
async function measureOnce({ contenders, payload }, round, calls, samples) {
  const warmup = round === 0
  const once = { iterations: 1, time: 0, warmup, warmupIterations: 1, warmupTime: 0 }
  const bench = new Bench({ ...once, throws: true, retainSamples: true })
  for (const [name, { create }] of rotated([...contenders], round)) {
    // Said to be asynchronous, or tinybench calls it once more to find out.
    bench.add(name, () => callInTurn(create, payload, calls), { async: true })
  }
  await bench.run()
  for (const { name, result } of bench.tasks) {
    if (result.state !== 'completed') throw new Error(`${name}: expected to complete, got ${result.state}`)
    samples.get(/** @type {ContenderName} */ (name))?.push(result.latency.mean / 1000)
  }
}

/**
 * @param {OpenContender['create']} create
 * @param {Uint8Array} payload
 * @param {number} calls
 */
async function callInTurn(create, payload, calls) {
  for (let call = 0; call < calls; call++) await create(payload)
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
