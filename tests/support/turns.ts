import { vi } from 'vitest'
import { quiet, soon } from './deferred.js'

/**
 * Counts turns of the event loop, with a clock that advances by so many milliseconds at each reading. The work of a
 * turn then depends on the number of readings, not on the machine.
 */
export async function countedTurns(stepMs: number) {
  // Wait until users of the real clock are done with it.
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
    get count() {
      return count
    },
    end: () => {
      isOver = true
      clock.mockRestore()
    },
  }
}

/** Stops timers, in an idle turn of the event loop. A call then goes out at once. Another turn would need timers that run. */
export async function stopTimers(...others: 'performance'[]): Promise<void> {
  await quiet()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', ...others] })
}
