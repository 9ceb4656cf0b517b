// Defines the flows to measure. Each has a function that sets it up for a given number of calls or messages.

import {
  cbor,
  classic,
  extractBundles,
  generateKey,
  Keyring,
  loadAlgorithms,
  mqtt,
  openSdk,
  source,
  subscribe,
  verifyBatch,
  verifyClassic,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { pool } from 'alvarium-sdk/pool'
import { startMosquitto } from '../../examples/broker/mosquitto.mjs'

/** @typedef {{ run: () => unknown, end?: () => unknown }} Flow */

const key = generateKey()
const keyring = new Keyring([key.verifyingKey])

/** @param {number} count @param {number} [bytes] */
function payloads(count, bytes = 100) {
  return Array.from({ length: count }, (_, at) => {
    const payload = new Uint8Array(bytes)
    new DataView(payload.buffer).setUint32(0, at)
    return payload
  })
}

/** @param {Partial<import('alvarium-sdk').SdkOptions>} [options] */
const open = (options) =>
  openSdk({ signingKey: key.signingKey, annotators: [source()], stream: { publish: () => {} }, ...options })

/** Makes all calls in one loop without `await`. @param {object} [options] @param {number} [bytes] */
const atOnce = (options, bytes) => async (/** @type {number} */ count) => {
  const sdk = await open(options)
  const all = payloads(count, bytes)
  return { run: () => Promise.all(all.map((payload) => sdk.create(payload))), end: () => sdk.close() }
}

/** @param {(() => unknown)[]} ends */
async function inOrder(...ends) {
  for (const end of ends) await end?.()
}

/** @param {number} count @param {object} [options] */
async function messagesOf(count, options) {
  /** @type {Uint8Array[]} */
  const messages = []
  const publish = (/** @type {Uint8Array} */ message) => void messages.push(message)
  const sdk = await open({ ...options, stream: { publish } })
  await Promise.all(payloads(count).map((payload) => sdk.create(payload)))
  await sdk.close()
  return messages
}

/** Makes the largest batch: 65,536 bundles, or fewer if they reach 8 MiB. @param {object} [options] */
async function largestBatch(options) {
  /** @type {Uint8Array[]} */
  const messages = []
  const sdk = await openForLargest({
    ...options,
    stream: { publish: (message) => void messages.push(message) },
  })
  await fillBatch(sdk)
  return /** @type {Uint8Array} */ (messages[0])
}

/** @param {object} [options] */
const openForLargest = (options) =>
  open({
    annotators: [],
    hash: 'none',
    host: '',
    batch: { maxBundles: 65_536, maxDelayMs: 600_000, maxBytes: 8 * 1024 * 1024 },
    ...options,
  })

/** @param {import('alvarium-sdk').Sdk} sdk */
function fillBatch(sdk) {
  const calls = Array.from({ length: 65_536 }, () => sdk.create(new Uint8Array()))
  return Promise.all([...calls, sdk.close()])
}

/** @param {(messages: Uint8Array[]) => unknown} run @param {object} [options] */
const ofMessages = (run, options) => async (/** @type {number} */ count) => {
  const messages = await messagesOf(count, options)
  return { run: () => run(messages) }
}

/** @type {Record<string, (count: number) => Promise<Flow>>} */
export const FLOWS = {
  'nothing (the machine alone)': async () => ({ run: () => new Promise((done) => setTimeout(done, 500)) }),
  create: atOnce(),
  'create, 20 kB': atOnce({}, 20_000),
  'create, one after the other': async (count) => {
    const sdk = await open()
    const run = async () => {
      for (const payload of payloads(count)) await sdk.create(payload)
    }
    return { run, end: () => sdk.close() }
  },
  'create, an annotator that answers later': atOnce({
    annotators: [{ kind: 'later', isSatisfied: async () => true }],
  }),
  'create, CBOR': atOnce({ codec: cbor() }),
  'create, P-256': async (count) => {
    await loadAlgorithms()
    const { signingKey } = await generateKey({ algorithm: 'P-256' })
    return atOnce({ signingKey })(Math.ceil(count / 10))
  },
  'create, in batches': atOnce({ batch: {} }),
  'create, one batch of 65,536': async () => {
    // Open one SDK for the warm-up and one for the measurement.
    const sdks = [await openForLargest(), await openForLargest()].values()
    return { run: () => fillBatch(/** @type {import('alvarium-sdk').Sdk} */ (sdks.next().value)) }
  },
  'create, over a pool': async (count) => {
    const workers = await pool({ workers: 2 })
    const { run, end } = await atOnce({ pool: workers })(count)
    return { run, end: () => inOrder(end, () => workers.close()) }
  },
  'create, over mqtt': async (count) => {
    const broker = await startMosquitto()
    const stream = mqtt({ url: broker.tcpUrl, topic: 'gaps' })
    const { run, end } = await atOnce({ stream })(count)
    return { run, end: () => inOrder(end, broker.stop) }
  },
  mutate: async (count) => {
    const sdk = await open()
    const all = payloads(count)
    const before = new Uint8Array(100)
    return {
      run: () => Promise.all(all.map((payload) => sdk.mutate(before, payload))),
      end: () => sdk.close(),
    }
  },
  createMany: async (count) => {
    const sdk = await open()
    const all = payloads(10 * count)
    return { run: () => sdk.createMany(all), end: () => sdk.close() }
  },
  'verifyMessage, at once': ofMessages((messages) =>
    Promise.all(messages.map((message) => verifyMessage(message, { keyring }))),
  ),
  verifyMessages: ofMessages((messages) => verifyMessages(messages, { keyring })),
  'verifyMessages, CBOR': ofMessages((messages) => verifyMessages(messages, { keyring, codec: cbor() }), {
    codec: cbor(),
  }),
  'verifyMessages, 10,000 keys': async (count) => {
    const many = await Keyring.from(Array.from({ length: 10_000 }, () => generateKey().verifyingKey))
    many.add(key.verifyingKey)
    const messages = await messagesOf(count)
    return { run: () => verifyMessages(messages, { keyring: many }) }
  },
  'verifyMessages, over a pool': async (count) => {
    const workers = await pool({ workers: 2 })
    const messages = await messagesOf(count)
    return { run: () => verifyMessages(messages, { keyring, pool: workers }), end: () => workers.close() }
  },
  'verifyMessages, batches of 256': ofMessages((messages) => verifyMessages(messages, { keyring }), {
    batch: {},
  }),
  'verifyBatch of 65,536': async () => {
    const message = await largestBatch()
    return { run: () => verifyBatch(message, { keyring }) }
  },
  'verifyBatch of 65,536, CBOR': async () => {
    const message = await largestBatch({ codec: cbor() })
    return { run: () => verifyBatch(message, { keyring, codec: cbor() }) }
  },
  'extractBundles of 65,536, by for await': async () => {
    const message = await largestBatch()
    const run = async () => {
      for await (const _ of extractBundles(message));
    }
    return { run }
  },
  verifyClassic: async (count) => {
    const messages = await messagesOf(count, { codec: classic({ signingKey: key.signingKey }) })
    const run = async () => {
      for (const message of messages) await verifyClassic(message, { keyring })
    }
    return { run }
  },
  'Keyring.from, 10,000 keys': async () => {
    const keys = Array.from({ length: 10_000 }, () => generateKey().verifyingKey)
    return { run: () => Keyring.from(keys) }
  },
  'Keyring.delete, of 10,000 keys': async () => {
    const keys = Array.from({ length: 10_000 }, () => generateKey())
    const many = await Keyring.from(keys.map(({ verifyingKey }) => verifyingKey))
    const [message] = await messagesOf(1)
    const run = async () => {
      many.delete(/** @type {string} */ (keys.pop()?.keyId))
      await verifyMessages([/** @type {Uint8Array} */ (message)], { keyring: many })
    }
    return { run }
  },
  subscribe: async (count) => {
    const broker = await startMosquitto()
    const stream = mqtt({ url: broker.tcpUrl, topic: 'gaps' })
    const { run, end } = await atOnce({ stream })(count)
    const bundles = subscribe({ url: broker.tcpUrl, topic: 'gaps', keyring, durable: false })
    await bundles.open()
    const reading = bundles[Symbol.asyncIterator]()
    const read = async () => {
      for (let at = 0; at < count; at++) await reading.next()
    }
    const close = () => inOrder(end, () => bundles.close(), broker.stop)
    return { run: () => Promise.all([read(), run()]), end: close }
  },
}
