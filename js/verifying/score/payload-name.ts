import type { HashName } from '../../foundation/model/bundle.js'

/**
 * Name of a payload. The hash is part of it, because a text with hash `none` can look like the digest of
 * another payload.
 */
export interface PayloadName {
  /** Payload key: the hash in upper-case hexadecimal, or the payload itself with hash `none`. */
  readonly key: string
  /** Function that made the payload key. */
  readonly hash: HashName
}

/** Number of hexadecimal digits of a digest. */
const DIGITS: Readonly<Record<HashName, number>> = { sha256: 64, md5: 32, none: 0 }

/**
 * Returns whether the key is a digest, possibly in lower case. Otherwise it is a text: other SDKs have such keys under
 * any hash.
 */
export function isDigest({ key, hash }: PayloadName): boolean {
  return key.length === DIGITS[hash] && /^[0-9A-Fa-f]+$/.test(key)
}

/** Returns the one name of a payload: digests in upper case. */
export function normalize(payload: PayloadName): PayloadName {
  return { key: normalizedKey(payload), hash: payload.hash }
}

function normalizedKey(payload: PayloadName): string {
  // Test the case first: nearly all keys are in upper case, and this runs for each of very many ancestors.
  return /[a-f]/.test(payload.key) && isDigest(payload) ? payload.key.toUpperCase() : payload.key
}

/**
 * Returns a payload's hash and key as one text, the digest in upper case, for example as the key of a `Map`.
 *
 * @example
 * ```ts
 * import { nameOf } from 'alvarium-sdk/judge'
 *
 * console.log(nameOf({ key: '21.4', hash: 'none' })) // none 21.4
 * ```
 */
export function nameOf(payload: PayloadName): string {
  return `${payload.hash} ${normalizedKey(payload)}`
}
