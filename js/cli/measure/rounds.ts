/** Enough for a median to mean something. */
const ROUNDS = 9

/**
 * Measures in rounds: what disturbs one of them does not disturb the median.
 *
 * @param once - what is measured
 * @param times - how often `once` does what it does
 * @param forMs - for all rounds together
 * @returns microseconds each time took, for each round
 */
export async function rounds(once: () => Promise<unknown>, times: number, forMs: number): Promise<number[]> {
  await during(once, forMs)
  const each: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const { elapsedMs, calls } = await during(once, forMs / ROUNDS)
    each.push((1000 * elapsedMs) / (calls * times))
  }
  return each
}

/** As often as it goes, once at least. */
async function during(once: () => Promise<unknown>, milliseconds: number) {
  const since = performance.now()
  let [calls, elapsedMs] = [0, 0]
  do {
    await once()
    calls++
    elapsedMs = performance.now() - since
  } while (elapsedMs < milliseconds)
  return { calls, elapsedMs }
}

/** The one in the middle. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
