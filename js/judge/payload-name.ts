import type { HashName } from '../model/bundle.js'

/** Which payload it is. By the hash `none` a text can be spelled like the digest of another payload, so both count. */
export interface PayloadName {
  /** The payload key: the hash in upper-case hexadecimal, or the payload itself with hash `none`. */
  readonly key: string
  /** How the payload became its key. */
  readonly hash: HashName
}

/** Hexadecimal digits of a digest. */
const DIGITS: Readonly<Record<HashName, number>> = { sha256: 64, md5: 32, none: 0 }

/** Whether the key is a digest, which may be in lower case. If not, it is a text of its own: other SDKs have such under any hash. */
export function isDigest({ key, hash }: PayloadName): boolean {
  return key.length === DIGITS[hash] && /^[0-9A-Fa-f]+$/.test(key)
}

/** The one name of a payload: digests in upper case. */
export function spelled(payload: PayloadName): PayloadName {
  return { key: keyIn(payload), hash: payload.hash }
}

function keyIn(payload: PayloadName): string {
  // Nearly all are in upper case, and of very many ancestors this is asked for each.
  return /[a-f]/.test(payload.key) && isDigest(payload) ? payload.key.toUpperCase() : payload.key
}

/**
 * A payload's hash and key as one text, the digest in upper case, for example to find it in a `Map`.
 *
 * @example
 * ```ts
 * import { nameOf } from 'alvarium-sdk/judge'
 *
 * console.log(nameOf({ key: '21.4', hash: 'none' })) // none 21.4
 * ```
 */
export function nameOf(payload: PayloadName): string {
  return `${payload.hash} ${keyIn(payload)}`
}
