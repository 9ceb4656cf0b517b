// @internal: a hidden page wakes once a minute, and a test page is not hidden
// @own-process: it stops the clock
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keepAliveTimer } from '../../dist/foundation/platform/transport-browser.js'

/** Interval of ticks: two in a keep-alive period of a minute. The broker drops a client after one and a half periods. */
const EVERY = 30_000

describe('the keep-alive timer of mqtt.js in browsers', () => {
  let wake = () => {}

  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  const ticksOf = () => {
    const start = Date.now()
    const ticks: number[] = []
    const timer = keepAliveTimer.set(() => ticks.push(Date.now() - start), EVERY)
    return { ticks, timer }
  }

  it('ticks at the interval that mqtt.js sets', () => {
    const { ticks, timer } = ticksOf()
    vi.advanceTimersByTime(3 * EVERY)
    expect(ticks).toEqual([EVERY, 2 * EVERY, 3 * EVERY])
    keepAliveTimer.clear(timer)
    vi.advanceTimersByTime(3 * EVERY)
    expect(ticks).toHaveLength(3)
  })

  describe('in a hidden page, which wakes once a minute,', () => {
    beforeEach(() => {
      vi.spyOn(globalThis, 'setInterval').mockImplementation((callback) => {
        wake = callback as () => void
        return 0 as never
      })
    })

    // The timer is first due after 15 s, but the browser wakes it at the next full minute.
    const firstWakes = Array.from({ length: 61 }, (_, second) => 15_000 + 1_000 * second)

    it.each(firstWakes)(
      'ticks a second time before the broker disconnects, if the page first wakes after %i ms',
      (first) => {
        const { ticks } = ticksOf()
        vi.advanceTimersByTime(first)
        wake()
        vi.advanceTimersByTime(60_000)
        if (ticks.length < 2) wake()
        expect(ticks).toHaveLength(2)
        expect(ticks[1]).toBeLessThan(1.5 * 2 * EVERY)
      },
    )

    // mqtt.js sends a ping at the second tick, and gives up at the third if the broker has not answered.
    it('ticks twice when the page first wakes, and a third time when it wakes again', () => {
      const { ticks } = ticksOf()
      for (const _ of [1, 2]) {
        vi.advanceTimersByTime(60_000)
        wake()
      }
      expect(ticks).toEqual([60_000, 60_000, 120_000])
    })
  })
})
