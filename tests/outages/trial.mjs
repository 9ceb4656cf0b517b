// A trial: a program publishes and another subscribes during a fault of their broker.

import { setTimeout as sleep } from 'node:timers/promises'
import { generateKey, keyOf, memory, mqtt, openSdk, source, subscribe, toHex } from 'alvarium-sdk'
import { leased, readTrust } from 'alvarium-sdk/trust'
import { startLine } from './line.mjs'

/** @typedef {import('./brokers.mjs').Fault} Fault */
/** @typedef {import('../damage/random.mjs').Random} Random */

/**
 * @typedef {object} Trial
 * @property {string} url of the broker
 * @property {0 | 1 | 2} qos of both programs
 * @property {string} feature
 * @property {Fault} fault
 * @property {string} topic that no other trial has
 * @property {Random} random
 *
 * @typedef {object} Seen by the two programs
 * @property {number} accepted calls
 * @property {number} received bundles of accepted calls
 * @property {Record<string, number>} rejected calls, by their codes
 * @property {number} unsettled calls
 * @property {number} twice bundles that were received twice
 * @property {number} strangers messages of a stranger that were accepted
 * @property {number} letters of these, dead letters
 * @property {string[]} ended codes of errors with which a loop ended
 */

/** Number of calls before the fault, while it lasts, and after it. */
const CALLS = 6
const PUBLISH_TIMEOUT_MS = 15_000
/** Milliseconds without a new message after which no redelivery is expected. */
const QUIET_MS = 3_000
const KEEP_ALIVE_SECONDS = 2

/** Further options of the subscribers, by the name of the feature. */
const SUBSCRIBERS = /** @type {Record<string, (clientId: string) => object[]>} */ ({
  plain: (clientId) => [{ clientId }],
  'dead letters': (clientId) => [{ clientId }],
  dedup: (clientId) => [{ clientId, dedup: {} }],
  group: (clientId) =>
    ['a', 'b'].map((member) => ({ clientId: `${clientId}-${member}`, group: clientId.replaceAll('/', '-') })),
  leases: (clientId) => [{ clientId, leases: true }],
})

export const FEATURES = Object.keys(SUBSCRIBERS)

/** @param {Trial} trial @returns {Promise<Seen>} */
export async function trial({ url: brokerUrl, qos, feature, fault, topic, random }) {
  const line = await startLine(brokerUrl)
  const where = { url: line.url, qos, keepAliveSeconds: KEEP_ALIVE_SECONDS }
  const stream = { ...where, topic, publishTimeoutMs: PUBLISH_TIMEOUT_MS, closeTimeoutMs: 1_000 }
  const [known, stranger] = [generateKey(), generateKey()]
  const trust = await readTrust({ signers: [{ name: 'known', keys: [toHex(known.verifyingKey)] }] })
  const readers = /** @type {NonNullable<typeof SUBSCRIBERS[string]>} */ (SUBSCRIBERS[feature])(topic).map(
    (more) => startReader({ ...where, topic, keyring: trust, closeTimeoutMs: 1_000, ...more }),
  )
  await Promise.all(readers.map(({ opened }) => opened))
  const leases = mqtt({ ...stream, topic: `${topic}/signers` })
  const signingKey = feature === 'leases' ? leased(known.signingKey, { stream: leases }) : known.signingKey
  const [ours, theirs] = [await callerOf(signingKey, stream), await callerOf(stranger.signingKey, stream)]
  const callAll = (/** @type {string} */ phase) => {
    for (let number = 0; number < CALLS; number++) ours.call(`${topic} ${phase} ${number}`)
    if (feature === 'dead letters') theirs.call(`${topic} ${phase} stranger`)
  }
  callAll('before')
  await sleep(random(40))
  const over = fault(line)
  callAll('meanwhile')
  await over
  callAll('after')
  await Promise.all([ours.settled(), theirs.settled()])
  await untilQuiet(() => readers.reduce((sum, { count }) => sum + count(), 0))
  await Promise.all([...readers.map(({ close }) => close()), ours.close(), theirs.close()])
  line.close()
  return seen(ours, theirs, readers)
}

/** @returns {Seen} */
function seen(
  /** @type {Awaited<ReturnType<typeof callerOf>>} */ ours,
  /** @type {Awaited<ReturnType<typeof callerOf>>} */ theirs,
  /** @type {ReturnType<typeof startReader>[]} */ readers,
) {
  const keys = readers.flatMap((reader) => reader.keys)
  const distinct = new Set(keys)
  return {
    accepted: ours.accepted.size,
    received: [...ours.accepted].filter((key) => distinct.has(key)).length,
    rejected: ours.rejected,
    unsettled: ours.unsettled(),
    twice: keys.length - distinct.size,
    strangers: theirs.accepted.size,
    letters: readers.reduce((sum, { letters }) => sum + new Set(letters.messages.map(String)).size, 0),
    ended: readers.flatMap(({ ended }) => ended),
  }
}

/** Reads a subscription until it is closed. @param {any} options */
function startReader(options) {
  const letters = memory()
  const bundles = subscribe({ ...options, deadLetter: letters })
  /** @type {string[]} */
  const [keys, ended] = [[], []]
  const read = async () => {
    try {
      for await (const { key } of bundles) keys.push(key)
    } catch (error) {
      ended.push(codeOf(error))
    }
  }
  const opened = bundles.open()
  const done = opened.then(read)
  const close = async () => {
    await bundles.close()
    await done
  }
  return { opened, keys, ended, letters, close, count: () => keys.length + letters.messages.length }
}

/** Calls an SDK, and counts the outcomes. @param {any} signingKey @param {any} stream */
async function callerOf(signingKey, stream) {
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: mqtt(stream) })
  /** @type {Set<string>} */
  const accepted = new Set()
  /** @type {Record<string, number>} */
  const rejected = {}
  /** @type {Set<Promise<void>>} */
  const open = new Set()
  return {
    accepted,
    rejected,
    unsettled: () => open.size,
    call: (/** @type {string} */ text) => {
      const payload = new TextEncoder().encode(text)
      const settled = sdk.create(payload).then(
        () => void accepted.add(keyOf(payload)),
        (error) => {
          rejected[codeOf(error)] = (rejected[codeOf(error)] ?? 0) + 1
        },
      )
      open.add(settled)
      void settled.then(() => open.delete(settled))
    },
    settled: () =>
      Promise.race([Promise.all(open), sleep(2 * PUBLISH_TIMEOUT_MS, undefined, { ref: false })]),
    close: () => sdk.close().catch(() => {}),
  }
}

/** @param {unknown} error @returns {string} */
const codeOf = (error) => Reflect.get(Object(error), 'code') ?? String(error)

/** Resolves once a count has not changed for a while. @param {() => number} count */
async function untilQuiet(count) {
  for (let before = -1; before !== count(); await sleep(QUIET_MS)) before = count()
}
