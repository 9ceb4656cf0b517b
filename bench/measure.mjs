// Runs a suite: each contender in each table cell, round by round.

import { garbageOf } from './garbage.mjs'
import { runsOf, sample } from './sample.mjs'

/**
 * @typedef {import('./suites/suite.mjs').OpenContender} OpenContender
 * @typedef {import('./suites/suite.mjs').Suite} Suite
 * @typedef {import('./suites/suite.mjs').Cell} Cell
 *
 * @typedef {object} Effort
 * @property {number} calls per sample
 * @property {number} rounds samples per contender and cell
 * @property {boolean} isQuick true if too short for a verdict
 *
 * @typedef {Map<string, number[]>} Samples seconds per call, in the order of the rounds, by contender
 *
 * @typedef {object} MeasuredCell
 * @property {Cell} cell
 * @property {Samples} samples
 * @property {Map<string, number>} bytes by contender, for contenders that write bytes
 * @property {Map<string, import('./garbage.mjs').Garbage>} garbage by contender, if the suite asks for it
 *
 * @typedef {{ suite: Suite, effort: Effort, cells: MeasuredCell[], more?: import('./report/table.mjs').Table }} Measurement
 *
 * @typedef {object} OpenCell
 * @property {Cell} cell
 * @property {number} calls per sample
 * @property {number} rounds
 * @property {[name: string, contender: OpenContender][]} contenders
 */

/**
 * @param {Suite} suite
 * @param {Effort} effort
 * @param {import('./keys.mjs').Keys} keys
 * @param {(text: string) => void} progress
 * @returns {Promise<Measurement>}
 */
export async function measure(suite, effort, keys, progress) {
  const within = suite.within ?? ((use) => use(''))
  return within(async (place) => {
    /** @type {OpenCell[]} */
    const open = []
    try {
      const cells = suite.cells.filter(({ isLong }) => !(isLong && effort.isQuick))
      for (const cell of cells) open.push(await openCell(suite, cell, effort, keys, place))
      const measured = await measureAll(suite, open, effort.rounds, progress)
      const more = await suite.more?.(effort.isQuick)
      return { suite, effort, cells: measured, ...(more && { more }) }
    } finally {
      for (const { contenders } of open) await Promise.all(contenders.map(([, one]) => one.close?.()))
    }
  })
}

/**
 * @param {Suite} suite
 * @param {OpenCell[]} open
 * @param {number} rounds
 * @param {(text: string) => void} progress
 */
async function measureAll(suite, open, rounds, progress) {
  const both = open.map((cell) => ({ cell, measured: emptyCell(cell) }))
  for (let round = 0; round < rounds; round++) {
    progress(`${suite.name}: round ${round + 1} of ${rounds}`)
    for (const { cell, measured } of both) {
      if (round < cell.rounds) await sample(cell, round, measured.samples, suite.isEachCallTimed)
    }
  }
  if (suite.hasGarbage) {
    progress(`${suite.name}: garbage`)
    for (const { cell, measured } of both) await measureGarbage(cell, measured)
  }
  return both.map(({ measured }) => measured)
}

/** @param {OpenCell} open @returns {MeasuredCell} */
function emptyCell({ cell, contenders }) {
  const written = contenders.filter(([, { bytes }]) => bytes !== undefined)
  return {
    cell,
    samples: new Map(contenders.map(([name]) => [name, []])),
    bytes: new Map(written.map(([name, { bytes = 0 }]) => [name, bytes])),
    garbage: new Map(),
  }
}

/**
 * @param {Suite} suite
 * @param {Cell} cell
 * @param {Effort} effort
 * @param {import('./keys.mjs').Keys} keys
 * @param {string} place
 * @returns {Promise<OpenCell>}
 */
async function openCell(suite, cell, effort, keys, place) {
  const contenders = Object.entries(await suite.open(cell, keys, place))
  const calls = Math.min(effort.calls * (cell.callsFactor ?? 1), cell.mostCalls ?? Infinity)
  return { cell, calls, rounds: Math.min(effort.rounds, cell.mostRounds ?? Infinity), contenders }
}

/**
 * Measures garbage in a separate run, because reading heap statistics takes time.
 *
 * @param {OpenCell} open
 * @param {MeasuredCell} measured
 */
async function measureGarbage({ contenders, calls }, measured) {
  for (const [name, contender] of contenders) {
    const runs = runsOf(contender, calls)
    measured.garbage.set(name, await garbageOf(contender.run, runs, contender.units))
  }
}
