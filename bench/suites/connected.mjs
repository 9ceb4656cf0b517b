// Measures calls until their message is accepted: by an array (`memory`, the SDK alone), or by a Mosquitto
// broker over WebSocket without subscribers. Accepted means passed to the connection at QoS 0, acknowledged
// at QoS 1, and stored on disk with `outbox`, which publishes at QoS 1 during the next calls. `once, mqtt.js`
// is what a good Node.js engineer would write with node:crypto and mqtt.js.

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyOf, memory, mqtt, openSdk, subscribe, verifyBatch } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import { connectAsync } from 'mqtt'
import { OnceSdk } from '../baselines/once.mjs'
import { needMosquitto, withMosquitto } from '../broker.mjs'
import { plain, replicated } from '../contenders.mjs'
import { payloadsOf } from './suite.mjs'

/**
 * @typedef {import('./suite.mjs').Cell} Cell
 * @typedef {import('./suite.mjs').OpenContender} OpenContender
 * @typedef {import('../keys.mjs').Keys} Keys
 */

const ANNOTATORS = 5
const BATCH = 256
/** Number of calls in a run with several calls in flight. */
const CALLS = 1024
const [PAYLOAD] = /** @type {[Uint8Array]} */ (payloadsOf(1000, 1))
const PAYLOADS = payloadsOf(1000, BATCH)

/**
 * Makes all calls of a run, `inFlight` of them in parallel.
 *
 * @param {number} inFlight
 * @param {() => Promise<unknown>} call
 */
async function callAll(inFlight, call) {
  let left = CALLS
  const callInTurn = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: inFlight }, callInTurn))
}

/** @param {Cell} cell @param {() => Promise<unknown>} call */
function calling({ inFlight = 1 }, call) {
  return inFlight === 1 ? { run: call, units: 1 } : { run: () => callAll(inFlight, call), units: CALLS }
}

/**
 * @param {Cell} cell
 * @param {Keys} keys
 * @param {import('alvarium-sdk').StreamProvider} stream
 * @param {(create: (payload: Uint8Array) => Promise<unknown>) => Promise<void>} check
 * @param {() => void} [afterwards] called after each run
 * @returns {Promise<OpenContender>}
 */
async function openOurs(cell, { signingKey }, stream, check, afterwards = () => {}) {
  const batch = cell.batch ? { batch: { maxBundles: BATCH } } : {}
  const sdk = await openSdk({ signingKey, annotators: replicated(ANNOTATORS), stream, ...batch })
  await check((payload) => sdk.create(payload))
  const { run, ...more } =
    cell.operation === 'createMany'
      ? { run: () => sdk.createMany(PAYLOADS), units: BATCH }
      : calling(cell, () => sdk.create(PAYLOAD))
  return { run: () => run().then(afterwards), ...more, close: () => sdk.close() }
}

/** @param {Cell} cell @param {Keys} keys */
function openMemory(cell, keys) {
  const stream = memory()
  const check = async (/** @type {(payload: Uint8Array) => Promise<unknown>} */ create) => {
    await create(PAYLOAD)
    const [message] = stream.messages
    assertWhole(message && (await verifyBatch(message, { keyring: [keys.verifyingKey] }))[0])
  }
  const empty = () => {
    stream.messages.length = 0
  }
  return openOurs(cell, keys, stream, check, empty)
}

/** @param {Cell} cell @param {Keys} keys @param {string} url @param {0 | 1} qos */
function openMqtt(cell, keys, url, qos) {
  const topic = randomUUID()
  return openOurs(cell, keys, mqtt({ url, topic, qos }), (create) => arrives(url, topic, keys, create))
}

/** @param {Cell} cell @param {Keys} keys @param {string} url */
async function openOutbox(cell, keys, url) {
  const topic = randomUUID()
  const store = await mkdtemp(join(tmpdir(), 'alvarium-bench-outbox-'))
  // Accept messages without a subscriber, because this benchmark has none.
  const inner = mqtt({ url, topic, noSubscribers: 'accept' })
  const stream = outbox({ stream: inner, store, closeTimeoutMs: 60_000 })
  const opened = await openOurs(cell, keys, stream, (create) => arrives(url, topic, keys, create))
  const close = async () => {
    await opened.close?.()
    await rm(store, { recursive: true })
  }
  return { ...opened, close }
}

/**
 * Opens the baseline `once` with mqtt.js, which uses MQTT 3.1.1 by default.
 *
 * @param {Cell} cell @param {Keys} keys @param {string} url @returns {Promise<OpenContender>}
 */
async function openOnce(cell, keys, url) {
  const topic = randomUUID()
  const client = await connectAsync(url)
  const publish = (/** @type {Uint8Array} */ message) =>
    client.publishAsync(topic, /** @type {Buffer} */ (message), { qos: 1 })
  const sdk = new OnceSdk({ signingKey: keys.signingKey, annotators: plain(ANNOTATORS), stream: { publish } })
  await arrives(url, topic, keys, (payload) => sdk.create(payload))
  return { ...calling(cell, () => sdk.create(PAYLOAD)), close: () => client.endAsync() }
}

/**
 * Subscribes to a topic and checks that one message arrives.
 *
 * @param {string} url
 * @param {string} topic
 * @param {Keys} keys
 * @param {(payload: Uint8Array) => Promise<unknown>} create
 */
async function arrives(url, topic, { verifyingKey }, create) {
  const bundles = subscribe({ url, topic, durable: false, keyring: [verifyingKey] })
  await bundles.open()
  await create(PAYLOAD)
  for await (const bundle of bundles) return assertWhole(bundle)
}

/** @param {import('alvarium-sdk').VerifiedBundle | undefined} bundle */
function assertWhole(bundle) {
  const satisfied = bundle?.annotations.filter(({ isSatisfied }) => isSatisfied).length
  if (bundle?.key !== keyOf(PAYLOAD) || satisfied !== ANNOTATORS) {
    throw new Error(`connected: expected ${ANNOTATORS} annotations of the payload, got ${satisfied}`)
  }
}

/** @type {import('./suite.mjs').Suite['open']} */
async function open(cell, keys, url) {
  const ours = {
    memory: await openMemory(cell, keys),
    'QoS 0': await openMqtt(cell, keys, url, 0),
    'QoS 1': await openMqtt(cell, keys, url, 1),
  }
  if (cell.batch) return ours
  return {
    ...ours,
    outbox: await openOutbox(cell, keys, url),
    'once, mqtt.js': await openOnce(cell, keys, url),
  }
}

/** @param {number} inFlight @returns {Cell} */
const single = (inFlight) => ({
  label: `create, ${inFlight} in flight`,
  operation: 'create',
  inFlight,
  mostCalls: inFlight === 1 ? 512 : 2 * CALLS,
})

/** @type {import('./suite.mjs').Suite} */
export const connected = {
  name: 'connected',
  title: `calls until their message is accepted, payloads of 1,000 bytes, ${ANNOTATORS} annotations`,
  rows: 'call',
  cells: [
    ...[1, 4, 16, 64, 256].map(single),
    { ...single(BATCH), label: `create in batches, ${BATCH} in flight`, batch: BATCH },
    { label: `createMany, ${BATCH} a message`, operation: 'createMany', batch: BATCH, mostCalls: 8 * BATCH },
  ],
  contenders: ['memory', 'QoS 0', 'QoS 1', 'outbox', 'once, mqtt.js'],
  open,
  prepare: needMosquitto,
  within: (use) => withMosquitto(({ url }) => use(url)),
  columns: 'rate',
  ratios: [
    { head: 'QoS 0 ÷ memory', above: 'QoS 0', below: 'memory' },
    { head: 'QoS 1 ÷ memory', above: 'QoS 1', below: 'memory' },
    { head: 'outbox ÷ QoS 1', above: 'outbox', below: 'QoS 1' },
    { head: 'once, mqtt.js ÷ QoS 1', above: 'once, mqtt.js', below: 'QoS 1' },
  ],
  charts: [
    {
      title: 'one message per call, by calls in flight',
      x: ({ inFlight, batch }) => (batch ? undefined : inFlight),
      scale: 'log',
    },
  ],
  published: undefined,
}
