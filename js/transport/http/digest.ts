// Computes and compares `Content-Digest` (RFC 9530), with which a signature over headers covers the body.

import { serializeDictionary } from 'structured-headers'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { assertBytes, expected, malformed, quoteOr } from '../../foundation/base/errors.js'
import { joinWithOr } from '../../foundation/base/options/schema.js'
import { quote } from '../../foundation/base/text/text.js'
import { type Component, isOfRequest, lineOf } from './components.js'
import { dictionaryOf } from './dictionary.js'
import type { MessageParts } from './response.js'
import { webCrypto } from './web-crypto.js'

/** Digest algorithm of RFC 9530 that is not deprecated. */
export type DigestAlgorithm = 'sha-256' | 'sha-512'

const MAX_DIGESTS_LENGTH = 1024
const DIGEST_BYTES: Readonly<Record<DigestAlgorithm, number>> = { 'sha-256': 32, 'sha-512': 64 }

/**
 * Computes the value of the header `Content-Digest` for a body (RFC 9530, section 2).
 *
 * @throws TypeError when `body` is not a `Uint8Array`
 * @throws AlvariumError `CONFIG_INVALID` for another algorithm, `CORE_UNAVAILABLE` without WebCrypto, for example on a
 *   page that was not loaded over HTTPS
 *
 * @example
 * ```ts
 * await contentDigest(new TextEncoder().encode('{"hello": "world"}\n'))
 * // sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:
 * ```
 */
export async function contentDigest(
  body: Uint8Array,
  algorithm: DigestAlgorithm = 'sha-256',
): Promise<string> {
  assertBytes(body, 'body')
  if (!isAlgorithm(algorithm)) {
    const known = joinWithOr(Object.keys(DIGEST_BYTES), algorithm)
    throw expected('CONFIG_INVALID', 'contentDigest.algorithm', known, quoteOr(algorithm))
  }
  return serializeDictionary(new Map([[algorithm, [await hashCopy(algorithm, body), new Map()]]]))
}

export function isDigest(component: Component): boolean {
  return component[0] === 'content-digest' && !isOfRequest(component)
}

/**
 * Returns the value of `Content-Digest`, or undefined if it is unsigned. If only members of it are signed
 * (`;key`), returns only these, because an attacker may have added other members.
 */
export function signedDigest(components: readonly Component[], parts: MessageParts): string | undefined {
  const signed = components.filter(isDigest)
  if (signed.length === 0) return undefined
  if (signed.some(([, parameters]) => !parameters.has('key'))) {
    return parts.fields.lines('content-digest').join(', ')
  }
  return signed.map((component) => `${component[1].get('key')}=${lineOf(component, parts)}`).join(', ')
}

/** Asserts that a `Content-Digest` has a digest by SHA-256 or SHA-512. */
export function assertDigest(text: string): void {
  digestsIn(text)
}

/**
 * Returns whether all SHA-256 and SHA-512 digests in a `Content-Digest` match the body. Copies the body
 * before it returns, because the caller may change the body later.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED` if the header has no SHA-256 or SHA-512 digest
 */
export function isDigestOf(body: Uint8Array, text: string): Promise<boolean> {
  const checks = digestsIn(text).map(async ([algorithm, digest]) => {
    return toHex(new Uint8Array(await hashCopy(algorithm, body))) === toHex(new Uint8Array(digest))
  })
  return Promise.all(checks).then((results) => results.every(Boolean))
}

function digestsIn(text: string): [DigestAlgorithm, ArrayBuffer][] {
  const digests: [DigestAlgorithm, ArrayBuffer][] = []
  for (const [name, [digest]] of dictionaryOf('content-digest', text, MAX_DIGESTS_LENGTH)) {
    if (isAlgorithm(name) && digest instanceof ArrayBuffer) digests.push([name, digest])
  }
  if (digests.length > 0 && digests.every(([name, { byteLength }]) => byteLength === DIGEST_BYTES[name])) {
    return digests
  }
  throw malformed('content-digest', 'a digest by sha-256 or sha-512', quote(text))
}

function isAlgorithm(name: unknown): name is DigestAlgorithm {
  return typeof name === 'string' && Object.hasOwn(DIGEST_BYTES, name)
}

/** Hashes a copy of the body, because WebCrypto refuses shared memory. */
async function hashCopy(algorithm: DigestAlgorithm, body: Uint8Array): Promise<ArrayBuffer> {
  return webCrypto('content-digest').digest(algorithm.toUpperCase(), new Uint8Array(body))
}
