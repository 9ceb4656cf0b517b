// Measures the time from a call to its verified bundle at the receiver, one call at a time. `memory` passes
// the message on within the process; the other contenders publish through a Mosquitto broker over WebSocket. The
// receiver also hashes the payload, to check that the bundle is about it. Messages contain no payloads, so
// only hashing makes large payloads slower.

import { randomUUID } from 'node:crypto'
import { Keyring, keyOf, memory, mqtt, openSdk, subscribe, verifyMessage } from 'alvarium-sdk'
import { needMosquitto, withMosquitto } from '../broker.mjs'
import { replicated } from '../contenders.mjs'
import { grouped, payloadsOf } from './suite.mjs'

/**
 * @typedef {import('./suite.mjs').OpenContender} OpenContender
 * @typedef {import('../keys.mjs').Keys} Keys
 */

const ANNOTATORS = 5

/** @param {Uint8Array} payload @param {Keys} keys @returns {Promise<OpenContender>} */
async function openMemory(payload, { signingKey, verifyingKey }) {
  const stream = memory()
  const sdk = await openSdk({ signingKey, annotators: replicated(ANNOTATORS), stream })
  const keyring = new Keyring([verifyingKey])
  const run = async () => {
    await sdk.create(payload)
    const message = /** @type {Uint8Array} */ (stream.messages.pop())
    await verifyMessage(message, { keyring, payload })
  }
  return { run, close: () => sdk.close() }
}

/** @param {Uint8Array} payload @param {Keys} keys @param {string} url @param {0 | 1} qos @returns {Promise<OpenContender>} */
async function openMqtt(payload, { signingKey, verifyingKey }, url, qos) {
  const topic = randomUUID()
  const stream = mqtt({ url, topic, qos })
  const sdk = await openSdk({ signingKey, annotators: replicated(ANNOTATORS), stream })
  const subscription = subscribe({ url, topic, qos, durable: false, keyring: [verifyingKey] })
  await subscription.open()
  const bundles = subscription[Symbol.asyncIterator]()
  const run = async () => {
    const [{ value }] = await Promise.all([bundles.next(), sdk.create(payload)])
    if (value?.key !== keyOf(payload)) throw new Error('roundtrip: expected the bundle of this call')
  }
  const close = async () => {
    await bundles.return()
    await sdk.close()
  }
  return { run, close }
}

/** @type {import('./suite.mjs').Suite['open']} */
async function open({ payloadBytes = 0 }, keys, url) {
  const [payload] = /** @type {[Uint8Array]} */ (payloadsOf(payloadBytes, 1))
  return {
    memory: await openMemory(payload, keys),
    'QoS 0': await openMqtt(payload, keys, url, 0),
    'QoS 1': await openMqtt(payload, keys, url, 1),
  }
}

/** @type {NonNullable<import('./suite.mjs').Chart['x']>} */
const byPayload = ({ payloadBytes }) => payloadBytes

/** @type {import('./suite.mjs').Suite} */
export const roundtrip = {
  name: 'roundtrip',
  title: `create to verified bundle, by bytes of the payload, ${ANNOTATORS} annotations`,
  rows: 'bytes',
  cells: [10, 10_000, 100_000, 1_000_000].map((payloadBytes) => ({
    label: grouped(payloadBytes),
    payloadBytes,
    mostCalls: 200,
  })),
  contenders: ['memory', 'QoS 0', 'QoS 1'],
  open,
  prepare: needMosquitto,
  within: (use) => withMosquitto(({ url }) => use(url)),
  isEachCallTimed: true,
  columns: 'latency',
  ratios: [
    { head: 'QoS 0 ÷ memory', above: 'QoS 0', below: 'memory' },
    { head: 'QoS 1 ÷ QoS 0', above: 'QoS 1', below: 'QoS 0' },
  ],
  charts: [
    { title: 'median, by bytes of the payload', x: byPayload, scale: 'log' },
    { title: '99th percentile, by bytes of the payload', x: byPayload, scale: 'log', of: 'p99' },
  ],
  published: undefined,
}
