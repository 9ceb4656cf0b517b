import type { IClientOptions } from 'mqtt'
import mqtt from './mqtt-browser.js'
import type { Transport } from './transport.js'

/** Number of looks at the clock while mqtt.js waits for one tick. */
const LOOKS = 2
/** A look that comes after so many times its time is late: this page's timers are held back. */
const LATE = 1.5
/** A tick may be so much too early, so that timers that are off by a millisecond do not miss one look. */
const EARLY = 0.9
/** mqtt.js counts its ticks, two per keep-alive period: at the second it pings, at the third it gives up. */
const PING = 2

/**
 * By what mqtt.js pings. Its own timer is a worker made of a blob, which a strict Content-Security-Policy forbids.
 *
 * Browsers wake the timers of a hidden page once a minute, after which the second tick would come too late for the
 * broker. So a look that is late brings the ping forward.
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
      const isLate = now - looked > (LATE * every) / LOOKS
      looked = now
      if (isLate && ticks < PING) while (ticks < PING) next(now)
      else if (now - ticked > EARLY * every) next(now)
    }, every / LOOKS)
  },
  clear: (timer: ReturnType<typeof setInterval>) => clearInterval(timer),
} as unknown as Exclude<IClientOptions['timerVariant'], string | undefined>

/**
 * MQTT where there are WebSockets and nothing else, by our own copy of mqtt.js. The bundle that mqtt.js brings for browsers is three times
 * as heavy, and no runtime at the edge can use it: it puts what it does next into one queue with one timer. There a timer belongs to
 * a request. The requests after the first would wait for one that is gone, and others at the same time would be served out of turn, with connections
 * that are not theirs. Ours has microtasks. That bundle also makes code out of text, for which webpack refuses to build for the
 * edge of Next.js: so no file that is loaded here may lead to it.
 *
 * With over 512 kB buffered mqtt.js sleeps a whole second by default: 2,300 instead of 15,000 messages/s.
 */
export const transport: Transport = {
  mqtt,
  settings: { browserBufferTimeout: 4, timerVariant: keepAliveTimer },
}
