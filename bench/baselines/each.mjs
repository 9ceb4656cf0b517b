// What the Java, Go, Rust and Python SDKs do, in plain Node: every annotation hashes the payload, reads the
// key file, has random bytes, a timestamp, JSON and a signature of its own, and the list of them travels as
// base64. Idiomatic otherwise: synchronous file reads and signatures, which are the faster ones.

import { hash, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { fromKeyFile, keyObject } from './keys.mjs'
import { freshUlid } from './ulid.mjs'

/** @typedef {{ kind: string, isSatisfied(payload: Uint8Array): boolean }} Annotator */
/** @typedef {{ publish(message: Uint8Array): unknown }} Stream */

/** Hashes and signs once per annotation. */
export class EachSdk {
  #settings
  #host = hostname()
  #tag = process.env['TAG'] ?? ''

  /** @param {{ keyFile: string, annotators: readonly Annotator[], stream: Stream }} settings */
  constructor(settings) {
    this.#settings = settings
  }

  /** @param {Uint8Array} payload */
  async create(payload) {
    const { annotators, stream } = this.#settings
    const items = annotators.map((annotator) => this.#annotate(annotator, payload))
    const content = Buffer.from(JSON.stringify({ items })).toString('base64')
    const message = Buffer.from(
      JSON.stringify({ action: 'create', messageType: 'contracts.AnnotationList', content }),
    )
    await stream.publish(message)
    return message
  }

  /**
   * @param {Annotator} annotator
   * @param {Uint8Array} payload
   */
  #annotate({ kind, isSatisfied }, payload) {
    const annotation = {
      id: freshUlid(),
      key: hash('sha256', payload, 'hex').toUpperCase(),
      hash: 'sha256',
      host: this.#host,
      tag: this.#tag,
      layer: 'app',
      kind,
      isSatisfied: isSatisfied(payload),
      timestamp: new Date().toISOString(),
    }
    return { ...annotation, signature: this.#sign(JSON.stringify(annotation)) }
  }

  /** @param {string} text */
  #sign(text) {
    const signingKey = keyObject(fromKeyFile(readFileSync(this.#settings.keyFile, 'utf8')))
    return sign(null, Buffer.from(text), signingKey).toString('hex')
  }
}
