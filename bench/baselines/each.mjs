// What the Java, Go, Rust and Python SDKs do, in plain Node: every annotation hashes the payload, reads the
// key file, has random bytes, a timestamp, JSON and a signature of its own, and the list of them travels as
// base64. Idiomatic otherwise: synchronous file reads and signatures, which are the faster ones.

import { sign } from 'node:crypto'
import { annotate, base64, envelope, keyOf, names, readKey } from './shared.mjs'

/** @typedef {import('./shared.mjs').Annotator} Annotator */
/** @typedef {import('./shared.mjs').Stream} Stream */

/** Hashes and signs once per annotation. */
export class EachSdk {
  #settings
  #names = names()

  /** @param {{ keyFile: string, annotators: readonly Annotator[], stream: Stream }} settings */
  constructor(settings) {
    this.#settings = settings
  }

  /** @param {Uint8Array} payload */
  async create(payload) {
    const { annotators, stream } = this.#settings
    const items = annotators.map((annotator) => this.#annotate(annotator, payload))
    const message = envelope(base64({ items }))
    await stream.publish(message)
    return message
  }

  /**
   * @param {Annotator} annotator
   * @param {Uint8Array} payload
   */
  #annotate(annotator, payload) {
    const annotation = annotate(annotator, payload, keyOf(payload), this.#names)
    return { ...annotation, signature: this.#sign(JSON.stringify(annotation)) }
  }

  /** @param {string} text */
  #sign(text) {
    return sign(null, Buffer.from(text), readKey(this.#settings.keyFile)).toString('hex')
  }
}
