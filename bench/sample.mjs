// Takes one sample of each contender in a table cell.

import { Bench } from 'tinybench'

/** @typedef {import('./suites/suite.mjs').OpenContender} OpenContender */

/**
 * Runs one short pass per contender and round. tinybench would finish all iterations of a task before the
 * next task, so that a noisy minute would affect only one contender. Each round starts with a different
 * contender.
 *
 * @param {import('./measure.mjs').OpenCell} cell
 * @param {number} round
 * @param {import('./measure.mjs').Samples} samples
 * @param {boolean} [isEachCallTimed] true for one sample per call; otherwise one per round
 */
export async function sample({ cell, contenders, calls }, round, samples, isEachCallTimed = false) {
  const iterations = isEachCallTimed ? calls : 1
  // Skip the warm-up of long cells, because shorter cells have already run the same code.
  const warmup = { warmup: round === 0 && !cell.isLong, warmupIterations: iterations, warmupTime: 0 }
  const bench = new Bench({ iterations, time: 0, ...warmup, throws: true, retainSamples: true })
  const callsOf = new Map()
  for (const [name, contender] of rotated(contenders, round)) {
    const runs = isEachCallTimed ? 1 : runsOf(contender, calls)
    callsOf.set(name, runs * (contender.units ?? 1))
    // Declare the function asynchronous: otherwise tinybench calls it once to look for a promise.
    bench.add(name, () => runInTurn(contender.run, runs), { async: true })
  }
  await bench.run()
  for (const { name, result } of bench.tasks) {
    if (result.state !== 'completed') throw new Error(`${name}: expected to complete, got ${result.state}`)
    const perCall = result.latency.samples?.map((millis) => millis / 1000 / callsOf.get(name)) ?? []
    samples.get(name)?.push(...perCall)
  }
}

/**
 * Returns how many runs make the given number of calls.
 *
 * @param {OpenContender} contender
 * @param {number} calls
 */
export function runsOf({ units = 1 }, calls) {
  return Math.ceil(calls / units)
}

/**
 * Runs a function repeatedly. Awaits only promises, because hashing 64 bytes is faster than an `await`.
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
