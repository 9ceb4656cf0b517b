import { digestOf } from '../../../foundation/core/hashing.js'
import type { PayloadName } from '../../../verifying/score/payload-name.js'

// Names in exports are URIs that do not resolve (FORMAT.md, Exports).

/** Prefix of all names until the Alvarium project agrees to names under its domain. The host cannot exist (RFC 2606 §2). */
export const NAMES = 'https://example.invalid/alvarium-sdk/'

/** Predicate type of a statement about a bundle (FORMAT.md, Exports). */
export const PREDICATE = `${NAMES}attestation/bundle/v1`

/** Prefix of the id of a sealed set. */
export const SETS = `${NAMES}set/v1/`

/** Hash function of a payload in exports, and its digest in lower-case hexadecimal. */
export interface PayloadDigest {
  readonly hash: 'sha256' | 'md5'
  readonly digest: string
}

/** Returns the digest of a payload. A payload that is its own key is hashed with SHA-256, because nobody asked to publish it elsewhere. */
export function payloadDigest({ hash, key }: PayloadName): PayloadDigest {
  if (hash !== 'none') return { hash, digest: key.toLowerCase() }
  return { hash: 'sha256', digest: digestOf(new TextEncoder().encode(key)) }
}
