import { vi } from 'vitest'

/** The real one: the test may have stopped the clock. */
const { setImmediate } = globalThis

/**
 * Counts turns of the event loop while the clock goes on by so many milliseconds each time that somebody looks at it: so what is
 * done in a turn depends on how often it is looked at, and not on the machine.
 */
export async function countedTurns(stepMs: number) {
  // Whoever has looked at the real clock is done with it.
  await new Promise((resolve) => setImmediate(resolve))
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += stepMs))
  let [count, isOver] = [0, false]
  const turn = () => {
    count++
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  return {
    /** How many there were. */
    get count() {
      return count
    },
    end: () => {
      isOver = true
      clock.mockRestore()
    },
  }
}
