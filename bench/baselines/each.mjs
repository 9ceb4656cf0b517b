// Baseline with the design of the Java, Go, Rust and Python SDKs, in plain Node.js. Each annotation hashes
// the payload, reads the key file, and gets its own random bytes, timestamp, JSON and signature. The list of
// annotations is sent as base64. Files are read and bytes signed synchronously, because asynchronous functions
// would be slower.

import { sign } from 'node:crypto'
import { annotate, base64, envelope, keyOf, names, readKey } from './shared.mjs'

/** @typedef {import('./shared.mjs').Annotator} Annotator */
/** @typedef {import('./shared.mjs').Stream} Stream */

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
