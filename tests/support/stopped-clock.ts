import { vi } from 'vitest'
import { until } from './until.js'

/** With a stopped clock, resolves when mqtt.js and ws, which take a turn or two to see that all is over, have seen it. */
export async function allTimersGone(): Promise<void> {
  let passedMs = 0
  await until(() => {
    // Their own timers may have to run, the long ones that we look for may not.
    if (passedMs++ < 50) vi.advanceTimersByTime(1)
    return vi.getTimerCount() === 0
  })
}
