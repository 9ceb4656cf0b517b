// Two publishers with one clientId, each with an outbox, over a slow line: the broker ends the older connection
// whenever the other publisher connects. Is a message lost, and how often do they take turns?

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { generateKey, keyOf, mqtt, openSdk, source } from 'alvarium-sdk'
import { outbox } from 'alvarium-sdk/outbox'
import mqttjs from 'mqtt'
import { startMosquitto } from '../../examples/broker/mosquitto.mjs'
import { Seen } from './ledger.mjs'
import { slowed } from './slow-line.mjs'

const TOPIC = 'alvarium/rivals'
const ROUND_TRIP_MS = 200
/** Interval between two calls of one publisher. */
const EVERY_MS = 20
/** Maximum time for stored messages to arrive after one of the two has left. */
const PATIENCE_MS = 120_000

/**
 * @typedef {object} Rivalry what has been seen
 * @property {4 | 5} version
 * @property {number} calls that were stored
 * @property {number} lost of those, not seen by a plain subscriber
 * @property {string[]} dropped codes
 * @property {number} takeovers connections that were lost in the time
 * @property {string} told the last reason that was given
 * @property {boolean} isHeld
 */

/**
 * @param {4 | 5} version by MQTT 5 the broker says why it ends the connection
 * @param {number} seconds
 * @returns {Promise<Rivalry>}
 */
export async function rivalry(version, seconds) {
  const broker = await startMosquitto({ config: ['max_queued_messages 0', 'max_inflight_messages 0'] })
  const slow = await slowed(new URL(broker.tcpUrl), ROUND_TRIP_MS)
  const folder = await mkdtemp(join(tmpdir(), 'alvarium-rivals-'))
  const seen = new Seen()
  const witness = await witnessOf(broker.tcpUrl, seen)
  const rivals = await Promise.all(
    ['a', 'b'].map((name) => rivalOf(name, { url: slow.url, protocolVersion: version }, join(folder, name))),
  )
  try {
    await Promise.all(rivals.map(({ call }) => call(seconds)))
    const reasons = rivals.flatMap(({ offline }) => offline)
    const [takeovers, told] = [reasons.length, reasons.at(-1) ?? '']
    // Close one after the other: the last rival then sends its stored messages without interruption.
    for (const rival of rivals) await rival.leave()
    const keys = rivals.flatMap((rival) => rival.keys)
    await arrived(keys, seen)
    const lost = keys.filter((key) => !seen.has(key)).length
    const dropped = rivals.flatMap((rival) => rival.dropped)
    const isHeld = lost === 0 && dropped.length === 0 && takeovers <= mostTakeovers(seconds)
    return { version, calls: keys.length, lost, dropped, takeovers, told, isHeld }
  } finally {
    await witness.endAsync(true)
    slow.close()
    await broker.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Returns the maximum number of takeovers: some at the start, and one in two seconds from then on. There were six a
 * second.
 *
 * @param {number} seconds
 */
const mostTakeovers = (seconds) => 14 + seconds / 2

/** @param {string} url @param {Seen} seen */
async function witnessOf(url, seen) {
  const client = await mqttjs.connectAsync(url, { protocolVersion: 4 })
  client.on('message', (_, message) => {
    const { content } = JSON.parse(message.toString())
    seen.add(content.key, content.signature)
  })
  await client.subscribeAsync(TOPIC, { qos: 1 })
  return client
}

/**
 * @param {string} name
 * @param {{ url: string, protocolVersion: 4 | 5 }} where
 * @param {string} store
 */
async function rivalOf(name, where, store) {
  const plain = mqtt({ ...where, topic: TOPIC, clientId: 'rival' })
  const stream = outbox({ stream: plain, store, closeTimeoutMs: PATIENCE_MS })
  const sdk = await openSdk({ signingKey: generateKey().signingKey, annotators: [source()], stream })
  /** @type {string[][]} */
  const [keys = [], dropped = [], offline = []] = [[], [], []]
  stream.addEventListener('dropped', ({ error }) => dropped.push(error.code))
  plain.addEventListener('offline', ({ detail }) => offline.push(detail.message))
  const call = async (/** @type {number} */ seconds) => {
    const end = performance.now() + seconds * 1000
    for (let number = 0; performance.now() < end; number++) {
      const payload = new TextEncoder().encode(`${name} ${number}`)
      await sdk.create(payload)
      keys.push(keyOf(payload, 'sha256'))
      await sleep(EVERY_MS)
    }
  }
  return { keys, dropped, offline, call, leave: () => sdk.close() }
}

/** Waits until all messages have arrived, or none has for ten seconds. @param {string[]} keys @param {Seen} seen */
async function arrived(keys, seen) {
  const isQuiet = () => performance.now() - seen.lastAt > 10_000
  while (!keys.every((key) => seen.has(key)) && !isQuiet()) await sleep(100)
}

/** @param {Rivalry} seen */
export function rivalryText({ version, calls, lost, dropped, takeovers, told, isHeld }) {
  return [
    `one clientId twice, MQTT ${version === 5 ? '5' : '3.1.1'}: ${calls} calls, ${lost} lost, ${dropped.length} dropped ${dropped.join(' ')}`,
    `${takeovers} connections lost; ${told}`,
    isHeld ? 'held' : 'NOT HELD',
  ].join('\n  ')
}
