import type { Timing } from '../protocol.ts'

/** How many times a batch of runs is repeated: the median of so many is not moved by a hiccup of the machine. */
const BATCHES = 7

/**
 * Runs a step again and again for about `budgetMs`, in batches, and gives the median batch's mean: clocks in browsers
 * count in steps of 5 µs to 1 ms, in which a single hash or signature disappears. A step that takes longer than the
 * budget is run once.
 */
export function timed(run: () => unknown, budgetMs: number): Timing {
  const batch = (runs: number): number => {
    const begin = performance.now()
    for (let n = 0; n < runs; n++) run()
    return performance.now() - begin
  }
  // Twice: the very first run may still be being compiled.
  const first = Math.min(batch(1), batch(1))
  if (first > budgetMs) return { micros: first * 1000, runs: 1 }
  const size = batchSize(batch, budgetMs / BATCHES)
  const times = Array.from({ length: BATCHES }, () => batch(size))
  return { micros: (median(times) * 1000) / size, runs: size * BATCHES }
}

/** How many runs fill a batch: doubled until they do, which warms the code up as well. */
function batchSize(batch: (runs: number) => number, batchMs: number): number {
  let runs = 1
  while (batch(runs) < batchMs / 2 && runs < 1 << 16) runs *= 2
  return runs
}

/** The same for a step that answers with a promise; waiting for it is part of what it costs. */
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
