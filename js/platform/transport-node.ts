import { joinFrames } from './joined-frames.js'
import type { Missing, Transport } from './transport.js'

/** Signatures and hashes do not compress. More than 256 kB that wait for a socket have the sender wait. */
const WEBSOCKET = { perMessageDeflate: false, writableHighWaterMark: 256 * 1024 }

/** Loads mqtt.js. */
export async function transportOf(missing: Missing): Promise<Transport> {
  return {
    mqtt: await mqttPackage(missing),
    // In a test with jsdom or happy-dom mqtt.js takes this for a browser, where it pings by a Worker.
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
