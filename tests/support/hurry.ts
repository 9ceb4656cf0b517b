import { onTestFinished, vi } from 'vitest'

/** The real one. */
const { setInterval, clearInterval } = globalThis
/**
 * From now on until the test is over, nobody waits long for timers. Call it when all is open: what is closed afterwards has its time
 * again.
 *
 * @param times - how many milliseconds pass in one, for what waits for a timer
 */
export function hurry(times = 50): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const clock = setInterval(() => vi.advanceTimersByTime(times), 1)
  onTestFinished(() => {
    clearInterval(clock)
    vi.useRealTimers()
  })
}
