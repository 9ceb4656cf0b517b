// Compares calls that share a signature with calls that have one signature each, and with hashing alone.

import { hash } from 'node:crypto'
import { keyOf, openSdk, verifyBatch } from 'alvarium-sdk'
import { openChecked, replicated, stream } from '../contenders.mjs'
import { grouped, inTurn, payloadsOf } from './suite.mjs'

/**
 * @typedef {import('./suite.mjs').Cell} Cell
 * @typedef {import('./suite.mjs').OpenContender} OpenContender
 * @typedef {import('../keys.mjs').Keys} Keys
 * @typedef {{ annotators: number, payloads: Uint8Array[], keys: Keys }} Place
 * @typedef {(place: Place) => Promise<OpenContender>} Open
 */

const SIZES = [100, 20_000]
const BATCHES = [1, 4, 16, 64, 256, 1024, 4096]
/** Minimum payload size in bytes for measuring hashing alone. Below it, hashing is a small share. */
const HASHING_FROM_BYTES = 20_000
/** Cell with the baseline `each`, the report's most expensive row. A call of `each` takes 1 ms. */
const MANY = { annotators: 10, payloadBytes: 20_000, batch: 256, mostCalls: 512 }

/** @type {Open} */
const openCreateMany = (place) => openOurs(place, (sdk, payloads) => sdk.createMany(payloads))
/** @type {Open} */
const openCreates = (place) =>
  openOurs(place, (sdk, payloads) => Promise.all(payloads.map((payload) => sdk.create(payload))))

/**
 * @param {Place} place
 * @param {(sdk: import('alvarium-sdk').Sdk, payloads: Uint8Array[]) => Promise<import('alvarium-sdk').Receipt[]>} call
 * @returns {Promise<OpenContender>}
 */
async function openOurs({ annotators, payloads, keys }, call) {
  const { signingKey, verifyingKey } = keys
  // Let only the number of bundles end a batch, not its age or size.
  const batch = { maxBundles: payloads.length, maxDelayMs: 10_000, maxBytes: 8 * 1024 * 1024 }
  const sdk = await openSdk({ signingKey, annotators: replicated(annotators), stream, batch })
  await checkBatch(await call(sdk, payloads), payloads, annotators, verifyingKey)
  return { run: () => call(sdk, payloads), units: payloads.length, close: () => sdk.close() }
}

/**
 * @param {import('alvarium-sdk').Receipt[]} receipts
 * @param {Uint8Array[]} payloads
 * @param {number} annotators
 * @param {Uint8Array} verifyingKey
 */
async function checkBatch(receipts, payloads, annotators, verifyingKey) {
  const [first] = receipts
  const bundles = first ? await verifyBatch(first.message, { keyring: [verifyingKey] }) : []
  const isWhole = bundles.length === payloads.length && receipts.length === payloads.length
  const areAbout = bundles.every(({ key, annotations }, at) => {
    const payload = /** @type {Uint8Array} */ (payloads[at])
    return key === keyOf(payload) && annotations.filter((one) => one.isSatisfied).length === annotators
  })
  if (!isWhole || !areAbout) throw new Error(`batches: expected a batch of all ${payloads.length} payloads`)
}

/** @param {'once' | 'each'} name @returns {Open} */
const openBaseline =
  (name) =>
  async ({ annotators, payloads, keys }) => {
    const next = inTurn(payloads)
    const { create, close } = await openChecked(name, annotators, next(), keys)
    return { run: () => create(next()), close }
  }

/** Opens a contender that only hashes. It is a lower bound: each SDK must hash each payload. @type {Open} */
async function openHashing({ payloads }) {
  const next = inTurn(payloads)
  const payload = next()
  if (hash('sha256', payload, 'hex').toUpperCase() !== keyOf(payload)) {
    throw new Error('hashing: expected the key that the SDK finds')
  }
  return { run: () => hash('sha256', next(), 'buffer') }
}

/** @type {import('./suite.mjs').Suite['open']} */
async function open({ annotators = 0, payloadBytes = 0, batch = 1, mostCalls }, keys) {
  /** @type {Record<string, Open>} */
  const opens = { createMany: openCreateMany, create: openCreates, once: openBaseline('once') }
  if (payloadBytes >= HASHING_FROM_BYTES) opens['hashing'] = openHashing
  if (mostCalls === MANY.mostCalls) opens['each'] = openBaseline('each')
  const place = { annotators, payloads: payloadsOf(payloadBytes, batch), keys }
  const opened = []
  for (const [name, openOne] of Object.entries(opens)) opened.push([name, await openOne(place)])
  return Object.fromEntries(opened)
}

/** @param {Omit<Cell, 'label'> & { payloadBytes: number, annotators: number }} facts @returns {Cell} */
const cell = (facts) => ({
  label: `${grouped(facts.batch ?? 1)} × ${grouped(facts.payloadBytes)} B, ${facts.annotators}`,
  ...facts,
})

/** @param {number} bytes @returns {import('./suite.mjs').Chart} */
const chart = (bytes) => ({
  title: `by size of the batch, payloads of ${grouped(bytes)} bytes, 5 annotators`,
  x: ({ batch, payloadBytes, annotators }) =>
    payloadBytes === bytes && annotators === 5 ? batch : undefined,
  scale: 'log',
})

/** @type {import('./suite.mjs').Suite} */
export const batches = {
  name: 'batches',
  title: 'create in batches: calls per batch × payload bytes, annotators',
  rows: 'batch × payload, annotators',
  cells: [
    ...SIZES.flatMap((payloadBytes) =>
      BATCHES.map((batch) => cell({ annotators: 5, payloadBytes, batch, mostCalls: 4096 })),
    ),
    cell(MANY),
  ],
  contenders: ['createMany', 'create', 'once', 'hashing', 'each'],
  open,
  columns: 'rate',
  ratios: [
    { head: 'once ÷ createMany', above: 'once', below: 'createMany' },
    { head: 'createMany ÷ hashing', above: 'createMany', below: 'hashing' },
    { head: 'each ÷ createMany', above: 'each', below: 'createMany' },
  ],
  charts: SIZES.map(chart),
  published: undefined,
}
