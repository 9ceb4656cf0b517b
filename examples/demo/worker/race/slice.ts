import type { Sample } from '../../race.ts'
import type { Contestant } from './contestant.ts'

/** Runs a contestant for at least `leastMs`, from one step of the clock to another. */
export async function slice({ run, calls }: Contestant, leastMs: number): Promise<Sample> {
  const begin = nextStep()
  let made = 0
  let ms = 0
  for (; ms < leastMs; ms = performance.now() - begin) {
    await run()
    made += calls
  }
  return { calls: made, ms }
}

/** Waits for the next step of the clock and returns its time, so that a slice begins at a step. */
function nextStep(): number {
  const before = performance.now()
  let now = before
  while (now === before) now = performance.now()
  return now
}

/** Returns the smallest observed step of the clock in milliseconds. */
export function clockStepMs(): number {
  const steps = Array.from({ length: 20 }, () => {
    const before = nextStep()
    return nextStep() - before
  })
  return Math.min(...steps)
}
