// Variants of the baseline `each`, with the improvements of the performance report. Each improvement can be
// switched on alone to show its effect.

import { sign, verify } from 'node:crypto'
import { annotate, base64, envelope, keyOf, names, readKey } from './shared.mjs'

/**
 * @typedef {import('./shared.mjs').Annotation} Annotation
 * @typedef {import('./shared.mjs').Annotator} Annotator
 * @typedef {import('./shared.mjs').Stream} Stream
 *
 * @typedef {object} Steps
 * @property {boolean} [keepKey] read and decode the key file when opening, not for every signature
 * @property {boolean} [hashOnce] hash the payload for the call, not for every annotation
 * @property {boolean} [signOnce] one signature over all annotations of a call
 * @property {boolean} [identity] sign the length-prefixed values, not JSON
 * @property {boolean} [inline] put the annotations as JSON into the message, not as base64 of JSON
 */

/** Baseline SDK with selected improvements. `check` verifies its messages if it gets the same `steps`. */
export class StepsSdk {
  #settings
  #keptKey
  #names = names()

  /** @param {{ keyFile: string, annotators: readonly Annotator[], stream: Stream, steps: Steps }} settings */
  constructor(settings) {
    this.#settings = settings
    if (settings.steps.keepKey) this.#keptKey = readKey(settings.keyFile)
  }

  /** @param {Uint8Array} payload */
  async create(payload) {
    const { annotators, stream, steps } = this.#settings
    const key = steps.hashOnce ? keyOf(payload) : undefined
    const annotations = annotators.map((one) => annotate(one, payload, key ?? keyOf(payload), this.#names))
    const message = encode(this.#signed(annotations), steps)
    await stream.publish(message)
    return message
  }

  /** @param {Annotation[]} annotations */
  #signed(annotations) {
    if (this.#settings.steps.signOnce) return { items: annotations, signature: this.#sign(annotations) }
    return { items: annotations.map((one) => ({ ...one, signature: this.#sign([one]) })) }
  }

  /** @param {Annotation[]} annotations */
  #sign(annotations) {
    const { keyFile, steps } = this.#settings
    const bytes = signedBytes(annotations, steps)
    return sign(null, bytes, this.#keptKey ?? readKey(keyFile)).toString('hex')
  }
}

/**
 * Verifies a message of {@link StepsSdk}.
 *
 * @param {Buffer} message
 * @param {Uint8Array} payload
 * @param {import('node:crypto').KeyObject} publicKey
 * @param {Steps} steps the improvements that the message was made with
 * @returns {number} number of annotations
 * @throws Error when an annotation is wrong
 */
export function check(message, payload, publicKey, steps) {
  const { items, signature } = decode(message, steps)
  const parts = steps.signOnce
    ? [{ annotations: items, signature }]
    : items.map(({ signature: own, ...annotation }) => ({ annotations: [annotation], signature: own }))
  const key = keyOf(payload)
  for (const { annotations, signature: own } of parts) {
    const isGenuine = verify(null, signedBytes(annotations, steps), publicKey, Buffer.from(own, 'hex'))
    if (!isGenuine || annotations.some((one) => one['key'] !== key)) {
      throw new Error('steps: wrote an annotation that does not verify')
    }
  }
  return items.length
}

/** @param {Annotation[]} annotations @param {Steps} steps */
function signedBytes(annotations, { identity }) {
  if (!identity) return Buffer.from(annotations.map((one) => JSON.stringify(one)).join())
  return Buffer.from(annotations.map(identityText).join(''))
}

/** @param {Annotation} annotation */
function identityText(annotation) {
  let text = ''
  for (const value of Object.values(annotation)) {
    const one = String(value)
    text += `${one.length}:${one}`
  }
  return text
}

/** @param {object} content @param {Steps} steps */
function encode(content, { inline }) {
  return envelope(inline ? content : base64(content))
}

/**
 * @param {Buffer} message
 * @param {Steps} steps
 * @returns {{ items: (Annotation & { signature: string })[], signature: string }}
 */
function decode(message, { inline }) {
  const { content } = JSON.parse(message.toString())
  return inline ? content : JSON.parse(Buffer.from(content, 'base64').toString())
}
