import { vi } from 'vitest'
import { quiet, soon } from './deferred.js'

/**
 * Counts turns of the event loop while the clock goes on by so many milliseconds each time that somebody looks at it: so what is
 * done in a turn depends on how often it is looked at, and not on the machine.
 */
export async function countedTurns(stepMs: number) {
  // Whoever has looked at the real clock is done with it.
  await new Promise<void>((resolve) => soon(resolve))
  let now = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += stepMs))
  let [count, isOver] = [0, false]
  const turn = () => {
    count++
    if (!isOver) soon(turn)
  }
  soon(turn)
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

/** Stops timers, in a turn that nobody has worked in: so a call goes out at once, and not in another turn, for which timers would have to go on. */
export async function stopTimers(...others: 'performance'[]): Promise<void> {
  await quiet()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', ...others] })
}
