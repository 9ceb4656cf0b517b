// Runs a Mosquitto broker during a suite.

import { startMosquitto } from '../examples/broker/mosquitto.mjs'
import { ensure } from '../js/build/debian.mjs'

/** Installs Mosquitto if possible. @throws Error naming the missing package */
export function needMosquitto() {
  ensure(
    ['mosquitto'],
    ['mosquitto'],
    'The suites connected, roundtrip and wire run against a real Mosquitto',
  )
}

/**
 * Runs a function with a broker, and stops the broker afterwards.
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
