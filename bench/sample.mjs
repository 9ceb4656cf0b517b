// One sample of every contender in a cell.

import { Bench } from 'tinybench'

/** @typedef {import('./suites/suite.mjs').OpenContender} OpenContender */

/**
 * tinybench runs all iterations of a task before it starts the next one, so a noisy minute would hit one
 * contender only; one short pass per round puts the contenders next to each other in time, and each round
 * starts with another one.
 *
 * @param {import('./measure.mjs').OpenCell} cell
 * @param {number} round
 * @param {import('./measure.mjs').Samples} samples
 * @param {boolean} [isEachCallTimed] then a round gives as many samples as calls, else one
 */
export async function sample({ cell, contenders, calls }, round, samples, isEachCallTimed = false) {
  const iterations = isEachCallTimed ? calls : 1
  // A long row warms itself up, and shorter ones have done so before.
  const warmup = { warmup: round === 0 && !cell.isLong, warmupIterations: iterations, warmupTime: 0 }
  const bench = new Bench({ iterations, time: 0, ...warmup, throws: true, retainSamples: true })
  const callsOf = new Map()
  for (const [name, contender] of rotated(contenders, round)) {
    const runs = isEachCallTimed ? 1 : runsOf(contender, calls)
    callsOf.set(name, runs * (contender.units ?? 1))
    // Said to be asynchronous, or tinybench calls it once more to find out.
    bench.add(name, () => runInTurn(contender.run, runs), { async: true })
  }
  await bench.run()
  for (const { name, result } of bench.tasks) {
    if (result.state !== 'completed') throw new Error(`${name}: expected to complete, got ${result.state}`)
    const perCall = result.latency.samples?.map((millis) => millis / 1000 / callsOf.get(name)) ?? []
    samples.get(name)?.push(...perCall)
  }
}

/** How often a contender runs to make so many calls. @param {OpenContender} contender @param {number} calls */
export function runsOf({ units = 1 }, calls) {
  return Math.ceil(calls / units)
}

/**
 * Waits only where there is something to wait for: a hash of 64 bytes is faster than an `await`.
 *
 * @param {OpenContender['run']} run
 * @param {number} times
 */
export async function runInTurn(run, times) {
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
