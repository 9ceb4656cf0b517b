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

/** The moment at which the clock moves on: begun between two steps, a slice would look shorter or longer by one. */
function nextStep(): number {
  const before = performance.now()
  let now = before
  while (now === before) now = performance.now()
  return now
}

/** The smallest step of the clock that could be seen in milliseconds. */
export function clockStepMs(): number {
  const steps = Array.from({ length: 20 }, () => {
    const before = nextStep()
    return nextStep() - before
  })
  return Math.min(...steps)
}
