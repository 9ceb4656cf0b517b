// Measures signing and verifying: the package, node:crypto, WebCrypto and libraries.

import { randomBytes, sign, verify } from 'node:crypto'
import {
  extractBundle,
  Keyring,
  openSdk,
  signBytes,
  verifyBatch,
  verifyBytes,
  verifyMessage,
  verifyMessages,
} from 'alvarium-sdk'
import { openContender, replicated, stream } from '../contenders.mjs'
import { SIGNING_PEERS } from '../peers.mjs'
import { inTurn, payloadsOf } from './suite.mjs'

/**
 * @typedef {import('../keys.mjs').Keys} Keys
 * @typedef {import('./suite.mjs').OpenContender} OpenContender
 * @typedef {(keys: Keys) => Promise<Record<string, OpenContender>>} OpenOperation
 */

const BATCH = 256
const TOGETHER = 64
const ANNOTATORS = 5
/** Bytes to sign, about as many as the identity bytes of a bundle with five annotations. */
const BYTES = new Uint8Array(randomBytes(500))
const PAYLOADS = payloadsOf(100, BATCH)
const [PAYLOAD] = /** @type {[Uint8Array]} */ (PAYLOADS)

/** @param {string} name @param {boolean} isRight */
function assertRight(name, isRight) {
  if (!isRight) throw new Error(`${name}: expected what the others take for genuine`)
}

/** Imports the keys into WebCrypto. @param {Keys} keys */
export function subtleKeys({ privateKey, publicKey }) {
  const { subtle } = globalThis.crypto
  const der = privateKey.export({ type: 'pkcs8', format: 'der' })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  return Promise.all([
    subtle.importKey('pkcs8', der, 'Ed25519', false, ['sign']),
    subtle.importKey('spki', spki, 'Ed25519', false, ['verify']),
  ])
}

/**
 * Opens contenders that sign. `signBytes` opens its key and verifies its signature in each call. noble
 * derives its key from the seed in each call. The other contenders reuse their keys. Only `signBytes`
 * verifies.
 *
 * @type {OpenOperation}
 */
async function openSign(keys) {
  const { signingKey, verifyingKey, privateKey } = keys
  const [subtleKey] = await subtleKeys(keys)
  const { subtle } = globalThis.crypto
  /** @type {Record<string, () => Uint8Array | Promise<ArrayBuffer>>} */
  const runs = {
    ours: () => signBytes(signingKey, BYTES),
    'node:crypto': () => sign(null, BYTES, privateKey),
    WebCrypto: () => subtle.sign('Ed25519', subtleKey, BYTES),
    ...peers(({ sign: signWith }) => signWith(BYTES, signingKey)),
  }
  for (const [name, run] of Object.entries(runs)) {
    assertRight(name, verifyBytes(verifyingKey, BYTES, new Uint8Array(await run())))
  }
  return opened(runs)
}

/** @type {OpenOperation} */
async function openVerify(keys) {
  const { signingKey, verifyingKey, publicKey } = keys
  const [, subtleKey] = await subtleKeys(keys)
  const signature = new Uint8Array(signBytes(signingKey, BYTES))
  const { subtle } = globalThis.crypto
  const runs = {
    ours: () => verifyBytes(verifyingKey, BYTES, signature),
    'node:crypto': () => verify(null, BYTES, publicKey, signature),
    WebCrypto: () => subtle.verify('Ed25519', subtleKey, signature, BYTES),
    ...peers(({ verify: verifyWith }) => verifyWith(BYTES, verifyingKey, signature)),
  }
  for (const [name, run] of Object.entries(runs)) assertRight(name, await run())
  return opened(runs)
}

/**
 * @template T
 * @param {(peer: import('../peers.mjs').SigningPeer) => T} run
 * @returns {Record<string, () => T>}
 */
function peers(run) {
  return Object.fromEntries(Object.entries(SIGNING_PEERS).map(([name, peer]) => [name, () => run(peer)]))
}

/** @param {Record<string, () => unknown>} runs */
function opened(runs) {
  return Object.fromEntries(Object.entries(runs).map(([name, run]) => [name, { run }]))
}

/**
 * Opens contenders that create bundles. Their streams drop the messages, so that only the call is measured.
 * @type {OpenOperation}
 */
async function openCreate(keys) {
  return {
    ours: await openContender('ours', ANNOTATORS, PAYLOAD, keys),
    'node:crypto': await openContender('once', ANNOTATORS, PAYLOAD, keys),
  }
}

/** @type {OpenOperation} */
async function openVerifyMessage({ signingKey, verifyingKey }) {
  const sdk = await openSdk({ signingKey, annotators: replicated(ANNOTATORS), stream })
  const { message } = await sdk.create(PAYLOAD)
  await sdk.close()
  return { ours: await verifying([message], verifyingKey) }
}

/** Opens a contender that verifies messages with one signature each. @type {OpenOperation} */
async function openVerifyMessages({ signingKey, verifyingKey }) {
  const sdk = await openSdk({ signingKey, annotators: replicated(ANNOTATORS), stream })
  const messages = []
  for (const payload of PAYLOADS.slice(0, TOGETHER)) messages.push((await sdk.create(payload)).message)
  await sdk.close()
  const keyring = new Keyring([verifyingKey])
  for (const one of await verifyMessages(messages, { keyring })) {
    const bundles = one.status === 'fulfilled' ? one.value : []
    assertRight('verifyMessages', bundles[0]?.annotations.length === ANNOTATORS)
  }
  return { ours: { run: () => verifyMessages(messages, { keyring }), units: TOGETHER } }
}

/** @type {OpenOperation} */
async function openVerifyBatch({ signingKey, verifyingKey }) {
  const message = await batchOf(signingKey)
  const keyring = new Keyring([verifyingKey])
  const bundles = await verifyBatch(message, { keyring })
  assertRight('verifyBatch', bundles.length === BATCH)
  return { ours: { run: () => verifyBatch(message, { keyring }), units: BATCH } }
}

/**
 * Opens a contender that verifies bundles extracted from one batch. Its keyring remembers the batch's
 * verified root.
 *
 * @type {OpenOperation}
 */
async function openExtracted({ signingKey, verifyingKey }) {
  const message = await batchOf(signingKey)
  return {
    ours: await verifying(
      PAYLOADS.map((_, at) => extractBundle(message, at)),
      verifyingKey,
    ),
  }
}

/** @param {Uint8Array} signingKey @returns {Promise<Uint8Array>} message with one batch */
async function batchOf(signingKey) {
  const batch = { maxBundles: BATCH, maxDelayMs: 600_000 }
  const sdk = await openSdk({ signingKey, annotators: replicated(ANNOTATORS), stream, batch })
  const [receipt] = await sdk.createMany(PAYLOADS)
  await sdk.close()
  if (!receipt) throw new Error('createMany: expected receipts')
  return receipt.message
}

/**
 * Opens a contender that verifies messages. Checks each message and its annotations first.
 *
 * @param {Uint8Array[]} messages
 * @param {Uint8Array} verifyingKey
 * @returns {Promise<OpenContender>}
 */
async function verifying(messages, verifyingKey) {
  const keyring = new Keyring([verifyingKey])
  for (const [at, message] of messages.entries()) {
    const { annotations } = await verifyMessage(message, { keyring, payload: PAYLOADS[at] })
    assertRight('verifyMessage', annotations.length === ANNOTATORS)
  }
  const next = inTurn(messages)
  return { run: () => verifyMessage(next(), { keyring }) }
}

/** @type {Record<string, OpenOperation>} */
const OPERATIONS = {
  signBytes: openSign,
  verifyBytes: openVerify,
  create: openCreate,
  verifyMessage: openVerifyMessage,
  'verifyMessages, per bundle': openVerifyMessages,
  'verifyBatch, per bundle': openVerifyBatch,
  'verifyMessage, extracted': openExtracted,
}

/** @type {import('./suite.mjs').Suite} */
export const signing = {
  name: 'signing',
  title: `sign and verify 500 bytes; bundles of ${ANNOTATORS} annotations, alone and of one batch of ${BATCH}`,
  rows: 'operation',
  cells: Object.keys(OPERATIONS).map((operation) => ({ label: operation, operation, mostCalls: 1024 })),
  contenders: ['ours', 'node:crypto', 'WebCrypto', ...Object.keys(SIGNING_PEERS)],
  open: ({ operation = '' }, keys) => /** @type {OpenOperation} */ (OPERATIONS[operation])(keys),
  columns: 'rate',
  ratios: [
    { head: 'ours ÷ node:crypto', above: 'ours', below: 'node:crypto' },
    { head: 'ours ÷ ours verifyMessage', above: 'ours', below: 'ours', base: 'verifyMessage' },
  ],
  charts: [{ title: 'per signature or bundle', scale: 'linear' }],
  published: undefined,
}
