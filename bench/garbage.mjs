// Measures the garbage of a run with V8's GC profiler, because a PerformanceObserver does not report heap sizes.
// The sizes before and after each collection show the bytes allocated in between.

import { GCProfiler, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { runInTurn } from './sample.mjs'

setFlagsFromString('--expose-gc')
/** @type {() => void} */
const collect = runInNewContext('gc')

/**
 * @typedef {object} Garbage
 * @property {number} calls number of measured calls
 * @property {number} collections number of collections of all kinds
 * @property {number} seconds duration of all collections
 * @property {number} heapBytes bytes allocated on the JavaScript heap, without the contents of typed arrays
 */

/**
 * @param {() => unknown} run
 * @param {number} runs
 * @param {number} [units] calls per run
 * @returns {Promise<Garbage>}
 */
export async function garbageOf(run, runs, units = 1) {
  collect()
  const profiler = new GCProfiler()
  profiler.start()
  const before = getHeapStatistics().used_heap_size
  await runInTurn(run, runs)
  const after = getHeapStatistics().used_heap_size
  const { statistics } = profiler.stop()
  const freed = sum(statistics.map(({ beforeGC, afterGC }) => usedBy(beforeGC) - usedBy(afterGC)))
  return {
    calls: runs * units,
    collections: statistics.length,
    seconds: sum(statistics.map(({ cost }) => cost)) / 1e6,
    heapBytes: after - before + freed,
  }
}

/** @param {import('node:v8').GCProfilerResult['statistics'][number]['beforeGC']} heap */
const usedBy = ({ heapStatistics }) => heapStatistics.usedHeapSize

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, one) => total + one, 0)
