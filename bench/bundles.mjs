// Makes sample bundles, and two contenders that serialize such bundles: the core and the baseline `once`.

import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { keyIdOf, openSdk } from 'alvarium-sdk'
import { Sealer } from '../dist/foundation/core/generated/core.js'
import { coreArguments } from '../dist/signing/seal/layout.js'
import { microsText } from './baselines/once.mjs'
import { MonotonicUlids } from './baselines/ulid.mjs'
import { replicated, stream } from './contenders.mjs'
import { payloadsOf } from './suites/suite.mjs'

/**
 * @typedef {object} Sample
 * @property {number} annotators
 * @property {Uint8Array} verifyingKey
 * @property {object[]} objects bundles as in a batch: everything except the signature
 * @property {Uint8Array[]} texts JSON of `objects`
 * @property {Uint8Array[]} messages JSON of messages that contain one bundle each
 * @property {Buffer[]} digests of the payloads
 *
 * @typedef {(at: number) => Uint8Array} Write returns the bytes of the sample's bundle with this index
 */

/** Number of different bundles in a sample, equal to the default size of a batch. */
export const DIFFERENT = 256
const HOST = hostname()
const ALL = 0xffffffff
const encoder = new TextEncoder()

/** @param {number} annotators @param {import('./keys.mjs').Keys} keys @returns {Promise<Sample>} */
export async function sampleOf(annotators, { signingKey, verifyingKey }) {
  const settings = { signingKey, annotators: replicated(annotators), stream, host: HOST, tag: '' }
  const sdk = await openSdk({ ...settings, batch: { maxBundles: DIFFERENT, maxDelayMs: 10_000 } })
  const [receipt] = await sdk.createMany(payloadsOf(100, DIFFERENT))
  await sdk.close()
  if (!receipt) throw new Error('createMany: expected receipts')
  const message = Buffer.from(receipt.message)
  const { signature, signer, bundles: objects } = JSON.parse(message.toString()).content
  if (!message.includes(JSON.stringify(objects))) {
    throw new Error('core: expected to write what JSON.stringify writes')
  }
  const texts = objects.map((/** @type {object} */ object) => encoder.encode(JSON.stringify(object)))
  const messages = objects.map((/** @type {{ action: string }} */ { action, ...claims }) => {
    const content = { signature, signer, ...claims }
    return encoder.encode(JSON.stringify({ action, messageType: 'alvarium.AnnotationBundle/1', content }))
  })
  const digests = Array.from({ length: DIFFERENT }, () => randomBytes(32))
  return { annotators, verifyingKey, objects, texts, messages, digests }
}

/** Contender that does the core's work for a batch, except the signature. */
export class CoreWriter {
  #sample
  #written
  #keyId
  /** @type {Sealer | undefined} */
  #sealer

  /** @param {Sample} sample @param {Uint8Array[]} [written] bytes that `write` returns copies of */
  constructor(sample, written = sample.texts) {
    this.#sample = sample
    this.#written = written
    this.#keyId = keyIdOf(sample.verifyingKey)
  }

  /**
   * Adds a bundle to the core's batch. Returns a copy of an element of `written` in place of the core's
   * bytes, which the core keeps. By default, `written` has the sample's texts, which have the same lengths.
   *
   * @type {Write}
   */
  write(at) {
    if (at === 0 || !this.#sealer) this.#begin()
    const digest = /** @type {Buffer} */ (this.#sample.digests[at])
    const sealer = /** @type {Sealer} */ (this.#sealer)
    const payload = { bytes: digest, isDigest: true }
    sealer.add(
      ...coreArguments({ action: 'create', payload, previous: undefined, annotatorBits: ALL, answers: ALL }),
    )
    return /** @type {Uint8Array} */ (this.#written[at]).slice()
  }

  #begin() {
    this.#sealer?.free()
    const kinds = replicated(this.#sample.annotators).map(({ kind }) => kind)
    this.#sealer = new Sealer(this.#keyId, 'sha256', HOST, 'app', kinds, '')
  }

  free() {
    this.#sealer?.free()
  }
}

/**
 * Returns a contender that serializes bundles as the baseline `once` does, without the signature.
 *
 * @param {Sample} sample
 * @returns {Write}
 */
export function builtJson({ annotators, digests }) {
  const ulids = new MonotonicUlids()
  const kinds = replicated(annotators).map(({ kind }) => kind)
  return (at) => {
    const now = performance.timeOrigin + performance.now()
    const millis = Math.floor(now)
    const bundle = {
      action: 'create',
      key: /** @type {Buffer} */ (digests[at]).toString('hex').toUpperCase(),
      hash: 'sha256',
      host: HOST,
      layer: 'app',
      timestamp: microsText(now),
      annotations: kinds.map((kind) => ({ id: ulids.next(millis), kind, tag: '', isSatisfied: true })),
    }
    return encoder.encode(JSON.stringify(bundle))
  }
}
