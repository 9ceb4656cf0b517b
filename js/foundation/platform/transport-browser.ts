import type { IClientOptions } from 'mqtt'
import mqtt from './mqtt-browser.js'
import type { Transport } from './transport.js'

/** Number of times that the clock is checked per tick of mqtt.js. */
const CHECKS_PER_TICK = 2
/**
 * Multiple of the interval between checks after which a check is late, because the browser probably throttles
 * timers.
 */
const LATE_FACTOR = 1.5
/** Share of the interval between ticks after which a tick is due: below 1, because timers can be 1 ms early. */
const MIN_TICK_SHARE = 0.9
/** Tick at which mqtt.js sends a ping. mqtt.js counts two ticks per keep-alive period, and gives up at the third. */
const PING_TICK = 2

/**
 * Timer for the pings of mqtt.js. The timer of mqtt.js is a worker made from a blob, which a strict
 * Content-Security-Policy forbids. Browsers run the timers of a hidden page once a minute. A ping at the second tick
 * would then be too late for the broker, so a late check triggers the ping at once.
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
 * MQTT over WebSockets, by our own copy of mqtt.js. The browser bundle of mqtt.js is three times as large, and no edge
 * runtime can use it: it schedules its work in one queue with one timer, but in edge runtimes a timer belongs to a
 * request. Later requests would wait for a timer that no longer exists, and concurrent requests would use the
 * connections of others. Our copy uses microtasks. The browser bundle also compiles code from text, for which webpack
 * refuses to build for the edge of Next.js, so no file that is loaded here may import it.
 *
 * With over 512 kB buffered, mqtt.js by default waits a second before it sends more. It waits 4 ms with the
 * `browserBufferTimeout` here, and sends 15,000 instead of 2,300 messages/s.
 */
export const transport: Transport = {
  mqtt,
  settings: { browserBufferTimeout: 4, timerVariant: keepAliveTimer },
}
