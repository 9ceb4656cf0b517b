// A real Mosquitto for as long as a suite runs, over WebSocket.

import { startMosquitto } from '../examples/broker/mosquitto.mjs'
import { ensure } from '../js/build/debian.mjs'

/** Installs Mosquitto where it may. @throws Error that says what to install */
export function needMosquitto() {
  ensure(['mosquitto'], ['mosquitto'], 'The suites connected and roundtrip run against a real Mosquitto')
}

/**
 * @template T
 * @param {(url: string) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withMosquitto(use) {
  const broker = await startMosquitto()
  try {
    return await use(broker.url)
  } finally {
    await broker.stop()
  }
}
