import { onTestFinished, vi } from 'vitest'

/** The real timers. */
const { setInterval, clearInterval } = globalThis
/** Factor of the clock's speed: milliseconds that pass in one. */
const TIMES_FASTER = 50
/**
 * Speeds up timers until the test is over. Call it after all setup: teardown that was registered earlier runs at
 * normal speed.
 */
export function hurry(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const clock = setInterval(() => vi.advanceTimersByTime(TIMES_FASTER), 1)
  onTestFinished(() => {
    clearInterval(clock)
    vi.useRealTimers()
  })
}
