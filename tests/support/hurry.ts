import { onTestFinished, vi } from 'vitest'

/** The real one. */
const { setInterval, clearInterval } = globalThis
/** So many milliseconds pass in one. */
const TIMES_FASTER = 50
/**
 * From now on until the test is over, nobody waits long for timers. Call it when all is open: what is closed afterwards has its time
 * again.
 */
export function hurry(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const clock = setInterval(() => vi.advanceTimersByTime(TIMES_FASTER), 1)
  onTestFinished(() => {
    clearInterval(clock)
    vi.useRealTimers()
  })
}
