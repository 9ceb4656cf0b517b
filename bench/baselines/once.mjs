// Baseline that a good Node.js engineer would write with `node:crypto`: one hash and one signature per call,
// a reused key object, and pooled randomness. Signs identity bytes instead of JSON. `verifyMessage` accepts
// the bundles.

import { hash, sign } from 'node:crypto'
import { IdentityWriter } from './identity.mjs'
import { keyObject } from './keys.mjs'
import { keyOf, names } from './shared.mjs'
import { MonotonicUlids } from './ulid.mjs'

const LAYER = 'app'

/** @typedef {import('./shared.mjs').Annotator} Annotator */
/** @typedef {import('./shared.mjs').Stream} Stream */

export class OnceSdk {
  #annotators
  #stream
  #signingKey
  #identity
  #ulids = new MonotonicUlids()
  #names = names()
  #signer

  /** @param {{ signingKey: Uint8Array, annotators: readonly Annotator[], stream: Stream }} settings */
  constructor({ signingKey, annotators, stream }) {
    this.#annotators = annotators
    this.#stream = stream
    this.#signingKey = keyObject(signingKey)
    // The key id is the first half of the public key's SHA-256.
    this.#signer = hash('sha256', signingKey.subarray(32), 'hex').slice(0, 32)
    const kinds = annotators.map(({ kind }) => kind)
    const fixed = { ...this.#names, layer: LAYER, signer: this.#signer, kinds }
    this.#identity = new IdentityWriter(fixed)
  }

  /** @param {Uint8Array} payload */
  async create(payload) {
    const key = keyOf(payload)
    const now = performance.timeOrigin + performance.now()
    const timestamp = microsText(now)
    const annotations = this.#annotate(payload, Math.floor(now))
    const identity = this.#identity.write(key, timestamp, annotations)
    const signature = sign(null, identity, this.#signingKey).toString('hex')
    const message = this.#message(signature, key, timestamp, annotations)
    await this.#stream.publish(message)
    return message
  }

  /**
   * @param {Uint8Array} payload
   * @param {number} millis
   */
  #annotate(payload, millis) {
    const { tag } = this.#names
    return this.#annotators.map((annotator) => ({
      id: this.#ulids.next(millis),
      kind: annotator.kind,
      tag,
      isSatisfied: annotator.isSatisfied(payload),
    }))
  }

  /**
   * @param {string} signature
   * @param {string} key
   * @param {string} timestamp
   * @param {object[]} annotations
   */
  #message(signature, key, timestamp, annotations) {
    const content = {
      signature,
      signer: this.#signer,
      key,
      hash: 'sha256',
      host: this.#names.host,
      layer: LAYER,
      timestamp,
      annotations,
    }
    return Buffer.from(
      JSON.stringify({ action: 'create', messageType: 'alvarium.AnnotationBundle/1', content }),
    )
  }
}

/**
 * Formats a time with microseconds.
 *
 * @param {number} millis milliseconds since 1970, with a fraction
 * @returns {string} for example `2026-11-20T10:00:00.123456Z`
 */
export function microsText(millis) {
  const micros = Math.floor((millis % 1) * 1000)
  return `${new Date(millis).toISOString().slice(0, -1)}${String(micros).padStart(3, '0')}Z`
}
