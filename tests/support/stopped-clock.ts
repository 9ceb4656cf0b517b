import { vi } from 'vitest'
import { until } from './until.js'

/** Resolves, with a stopped clock, when mqtt.js and ws have noticed that all is closed, which takes them a turn or two. */
export async function allTimersGone(): Promise<void> {
  let passedMs = 0
  await until(() => {
    // Short timers of mqtt.js and ws must run. The long timers that the tests look for must not.
    if (passedMs++ < 50) vi.advanceTimersByTime(1)
    return vi.getTimerCount() === 0
  })
}
