import type { HashName } from '../../foundation/model/bundle.js'

/**
 * Payload key and hash, which together name a payload. The key alone is ambiguous, because with hash `none`
 * it is the payload itself, which can look like a digest.
 */
export interface PayloadName {
  /** Payload key: the hash in upper-case hexadecimal, or the payload itself with hash `none`. */
  readonly key: string
  /** Hash with which the payload key was computed. */
  readonly hash: HashName
}

const DIGITS: Readonly<Record<HashName, number>> = { sha256: 64, md5: 32, none: 0 }

/** Returns whether the payload key is a digest. Other SDKs may write keys of any form under any hash. */
export function isDigest({ key, hash }: PayloadName): boolean {
  return key.length === DIGITS[hash] && /^[0-9A-Fa-f]+$/.test(key)
}

export function normalize(payload: PayloadName): PayloadName {
  return { key: normalizedKey(payload), hash: payload.hash }
}

function normalizedKey(payload: PayloadName): string {
  // Test for lower case first: nearly all keys are in upper case, and there may be many ancestors.
  return /[a-f]/.test(payload.key) && isDigest(payload) ? payload.key.toUpperCase() : payload.key
}

/**
 * Returns a payload's hash and key as one text, for example for a `Map`. Digests are in upper case.
 *
 * @example
 * ```ts
 * import { nameOf } from 'alvarium-sdk/score'
 *
 * console.log(nameOf({ key: '21.4', hash: 'none' })) // none 21.4
 * ```
 */
export function nameOf(payload: PayloadName): string {
  return `${payload.hash} ${normalizedKey(payload)}`
}
