// Runs a real Mosquitto during a suite.

import { startMosquitto } from '../examples/broker/mosquitto.mjs'
import { ensure } from '../js/build/debian.mjs'

/** Installs Mosquitto if possible. @throws Error that says what to install */
export function needMosquitto() {
  ensure(
    ['mosquitto'],
    ['mosquitto'],
    'The suites connected, roundtrip and wire run against a real Mosquitto',
  )
}

/**
 * Runs `use` with a broker.
 *
 * @template T
 * @param {(broker: import('../examples/broker/mosquitto.mjs').Mosquitto) => Promise<T>} use
 * @param {readonly string[]} [config] more lines for mosquitto.conf
 * @returns {Promise<T>}
 */
export async function withMosquitto(use, config = []) {
  const broker = await startMosquitto({ config })
  try {
    return await use(broker)
  } finally {
    await broker.stop()
  }
}
