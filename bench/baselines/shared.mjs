// Code that the baselines share: host and tag names and, for `each` and `steps`, the message format of the
// Java, Go, Rust and Python SDKs.

import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { fromKeyFile, keyObject } from './keys.mjs'
import { freshUlid } from './ulid.mjs'

/**
 * @typedef {{ kind: string, isSatisfied(payload: Uint8Array): boolean }} Annotator
 * @typedef {{ publish(message: Uint8Array): unknown }} Stream
 * @typedef {Record<string, string | boolean>} Annotation without its signature
 */

/** Returns the host and tag that a baseline puts into annotations. Reads the environment on each call. */
export const names = () => ({ host: hostname(), tag: process.env['TAG'] ?? '' })

/** @param {Uint8Array} payload */
export const keyOf = (payload) => hash('sha256', payload, 'hex').toUpperCase()

/** Reads a key file and decodes it. @param {string} keyFile */
export const readKey = (keyFile) => keyObject(fromKeyFile(readFileSync(keyFile, 'utf8')))

/**
 * Makes an annotation with its own id and timestamp.
 *
 * @param {Annotator} annotator
 * @param {Uint8Array} payload
 * @param {string} key of the payload
 * @param {{ host: string, tag: string }} names
 */
export function annotate({ kind, isSatisfied }, payload, key, { host, tag }) {
  return {
    id: freshUlid(),
    key,
    hash: 'sha256',
    host,
    tag,
    layer: 'app',
    kind,
    isSatisfied: isSatisfied(payload),
    timestamp: new Date().toISOString(),
  }
}

/** Returns a message with the action `create`. @param {object | string} content */
export function envelope(content) {
  return Buffer.from(JSON.stringify({ action: 'create', messageType: 'contracts.AnnotationList', content }))
}

/** Encodes a list of annotations as the Java, Go, Rust and Python SDKs do. @param {object} content */
export const base64 = (content) => Buffer.from(JSON.stringify(content)).toString('base64')
