import { joinFrames } from './joined-frames.js'
import type { Missing, Transport } from './transport.js'

/** Options of WebSockets. Signatures and hashes do not compress. The sender waits while a socket has more than 256 kB to send. */
const WEBSOCKET = { perMessageDeflate: false, writableHighWaterMark: 256 * 1024 }

export async function transportOf(missing: Missing): Promise<Transport> {
  return {
    mqtt: await mqttPackage(missing),
    // Name the timer: in a test with jsdom or happy-dom, mqtt.js would assume a browser, and ping by a Worker.
    settings: { wsOptions: WEBSOCKET, timerVariant: 'native' },
    joinFrames,
  }
}

async function mqttPackage(missing: Missing): Promise<Transport['mqtt']> {
  try {
    return (await import('mqtt')).default
  } catch (cause) {
    throw missing('mqtt', cause)
  }
}
