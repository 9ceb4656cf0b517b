import type { Timing } from '../protocol.ts'

/** Number of batches. A disturbance of the machine does not change the median of seven. */
const BATCHES = 7

/**
 * Runs a step repeatedly for about `budgetMs`. Returns the mean duration of a run in the median batch of
 * runs. Single runs cannot be timed: browsers' clocks have steps of 5 µs to 1 ms, longer than a hash or
 * signature takes. A step that exceeds the budget runs only twice.
 */
export function timed(run: () => unknown, budgetMs: number): Timing {
  const batch = (runs: number): number => {
    const begin = performance.now()
    for (let n = 0; n < runs; n++) run()
    return performance.now() - begin
  }
  // Run the step twice, because its code may still be compiled during the first run.
  const first = Math.min(batch(1), batch(1))
  if (first > budgetMs) return { micros: first * 1000, runs: 1 }
  const size = batchSize(batch, budgetMs / BATCHES)
  const times = Array.from({ length: BATCHES }, () => batch(size))
  return { micros: (median(times) * 1000) / size, runs: size * BATCHES }
}

/** Returns the number of runs that fill a batch. Doubling the number also warms up the code. */
function batchSize(batch: (runs: number) => number, batchMs: number): number {
  let runs = 1
  while (batch(runs) < batchMs / 2 && runs < 1 << 16) runs *= 2
  return runs
}

/** Measures an asynchronous step, including the `await`. */
export async function timedAsync(run: () => Promise<unknown>, budgetMs: number): Promise<Timing> {
  const times: number[] = []
  for (const begin = performance.now(); performance.now() - begin < budgetMs || times.length < BATCHES; ) {
    const before = performance.now()
    await run()
    times.push(performance.now() - before)
  }
  return { micros: median(times) * 1000, runs: times.length }
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
