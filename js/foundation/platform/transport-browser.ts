import type { IClientOptions } from 'mqtt'
import mqtt from './mqtt-browser.js'
import type { Transport } from './transport.js'

/** Number of clock checks while mqtt.js waits for one tick. */
const CHECKS_PER_TICK = 2
/** Factor of a check's interval after which the check is late, because the page's timers are throttled. */
const LATE_FACTOR = 1.5
/** Share of a tick's interval after which it is due, so that timers that are off by a millisecond do not miss one check. */
const MIN_TICK_SHARE = 0.9
/** Tick at which mqtt.js sends a ping. It counts two ticks per keep-alive period, and gives up at the third. */
const PING_TICK = 2

/**
 * Timer of mqtt.js's pings. Its own timer is a worker made from a blob, which a strict Content-Security-Policy forbids.
 *
 * Browsers wake the timers of a hidden page once a minute, after which the second tick would be too late for the broker. A late check
 * therefore triggers the ping at once.
 */
export const keepAliveTimer = {
  set: (tick: () => void, every: number) => {
    let ticks = 0
    let ticked = Date.now()
    let looked = ticked
    const next = (now: number) => {
      ticks++
      ticked = now
      tick()
    }
    return setInterval(() => {
      const now = Date.now()
      const isLate = now - looked > (LATE_FACTOR * every) / CHECKS_PER_TICK
      looked = now
      if (isLate && ticks < PING_TICK) while (ticks < PING_TICK) next(now)
      else if (now - ticked > MIN_TICK_SHARE * every) next(now)
    }, every / CHECKS_PER_TICK)
  },
  clear: (timer: ReturnType<typeof setInterval>) => clearInterval(timer),
} as unknown as Exclude<IClientOptions['timerVariant'], string | undefined>

/**
 * MQTT over WebSockets alone, by our own copy of mqtt.js. The bundle of mqtt.js for browsers is three times as large. No edge runtime
 * can use it, because it schedules its work in one queue with one timer. In edge runtimes a timer belongs to a request. Later requests
 * would wait for a timer that is gone, and concurrent ones would run out of turn, with connections of other requests. Our copy uses
 * microtasks. The mqtt.js bundle also makes code from text, for which webpack refuses to build for the edge of Next.js: no file that is
 * loaded here may lead to it.
 *
 * With over 512 kB buffered mqtt.js sleeps a whole second by default: 2,300 instead of 15,000 messages/s.
 */
export const transport: Transport = {
  mqtt,
  settings: { browserBufferTimeout: 4, timerVariant: keepAliveTimer },
}
