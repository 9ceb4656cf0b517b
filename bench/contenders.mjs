// Contenders of the performance report's experiments: an SDK per table cell, and a check of a message.

import { hash, verify } from 'node:crypto'
import { openSdk, source, verifyMessage } from 'alvarium-sdk'
import { EachSdk } from './baselines/each.mjs'
import { OnceSdk } from './baselines/once.mjs'

/**
 * @typedef {import('./keys.mjs').Keys} Keys
 *
 * @typedef {object} OpenSdk
 * @property {(payload: Uint8Array) => Promise<unknown>} create the measured call
 * @property {(payload: Uint8Array) => Promise<number>} check verifies one message, returns its number of
 * annotations
 * @property {() => Promise<void>} close
 *
 * @typedef {'ours' | 'once' | 'each'} ContenderName
 * @typedef {(annotators: number, keys: Keys) => Promise<OpenSdk>} OpenFor
 */

/** Stream that discards all messages, so that only the SDK is measured and memory does not grow. */
export const stream = { publish: () => {} }

/** @param {number} count of copies of `src`, as in the report's benchmark */
export const replicated = (count) => Array.from({ length: count }, () => source())
/**
 * Returns annotators for the baselines. Like copies of `src`, they have the kind `src`, and are always
 * satisfied.
 *
 * @param {number} count
 */
export const plain = (count) =>
  Array.from({ length: count }, () => ({ kind: 'src', isSatisfied: () => true }))

/** @type {OpenFor} */
async function openOurs(annotators, { signingKey, verifyingKey }) {
  const sdk = await openSdk({ signingKey, annotators: replicated(annotators), stream })
  return {
    create: (payload) => sdk.create(payload),
    check: async (payload) => verified((await sdk.create(payload)).message, payload, verifyingKey),
    close: () => sdk.close(),
  }
}

/** @type {OpenFor} */
async function openOnce(annotators, { signingKey, verifyingKey }) {
  const sdk = new OnceSdk({ signingKey, annotators: plain(annotators), stream })
  return {
    create: (payload) => sdk.create(payload),
    check: async (payload) => verified(await sdk.create(payload), payload, verifyingKey),
    close: async () => {},
  }
}

/** @type {OpenFor} */
async function openEach(annotators, { keyFile, publicKey }) {
  const sdk = new EachSdk({ keyFile, annotators: plain(annotators), stream })
  return {
    create: (payload) => sdk.create(payload),
    check: async (payload) => eachVerified(await sdk.create(payload), payload, publicKey),
    close: async () => {},
  }
}

/** @type {Record<ContenderName, OpenFor>} */
const OPEN = { ours: openOurs, once: openOnce, each: openEach }

/**
 * Opens a contender. Throws if its messages do not verify or lack annotations.
 *
 * @param {ContenderName} name
 * @param {number} annotators
 * @param {Uint8Array} payload
 * @param {Keys} keys
 */
export async function openChecked(name, annotators, payload, keys) {
  const { create, check, close } = await OPEN[name](annotators, keys)
  const count = await check(payload)
  if (count !== annotators) throw new Error(`${name}: expected ${annotators} annotations, got ${count}`)
  return { create, close }
}

/**
 * Opens a contender that calls `create` repeatedly with one payload.
 *
 * @param {Parameters<typeof openChecked>} place
 * @returns {Promise<import('./suites/suite.mjs').OpenContender>}
 */
export async function openContender(...place) {
  const { create, close } = await openChecked(...place)
  const [, , payload] = place
  return { run: () => create(payload), close }
}

/**
 * @param {Uint8Array} message
 * @param {Uint8Array} payload
 * @param {Uint8Array} verifyingKey
 */
async function verified(message, payload, verifyingKey) {
  const bundle = await verifyMessage(message, { keyring: [verifyingKey], payload })
  return bundle.annotations.filter(({ isSatisfied }) => isSatisfied).length
}

/**
 * @param {Buffer} message
 * @param {Uint8Array} payload
 * @param {import('node:crypto').KeyObject} publicKey
 */
function eachVerified(message, payload, publicKey) {
  const key = hash('sha256', payload, 'hex').toUpperCase()
  const { items } = JSON.parse(Buffer.from(JSON.parse(message.toString()).content, 'base64').toString())
  for (const { signature, ...annotation } of items) {
    const text = Buffer.from(JSON.stringify(annotation))
    const isGenuine = verify(null, text, publicKey, Buffer.from(signature, 'hex'))
    if (!isGenuine || annotation.key !== key)
      throw new Error('each: wrote an annotation that does not verify')
  }
  return items.length
}
