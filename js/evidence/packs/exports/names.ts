import { digestOf } from '../../../foundation/core/hashing.js'
import type { PayloadName } from '../../../verifying/score/payload-name.js'

// Defines the names in exports: URIs that do not resolve (FORMAT.md, Exports).

/** Prefix of all names in exports. Alvarium has no such names yet, and this host cannot exist (RFC 2606 §2). */
export const NAMES = 'https://example.invalid/alvarium-sdk/'

/** Predicate type of a statement about a bundle (FORMAT.md, Exports). */
export const PREDICATE = `${NAMES}attestation/bundle/v1`

export const SETS = `${NAMES}set/v1/`

/**
 * Returns the digest of a payload in lower-case hexadecimal. With the hash `none`, the payload key is the payload
 * itself, so it is hashed: exports must not reveal it.
 */
export function payloadDigest({ hash, key }: PayloadName): { hash: 'sha256' | 'md5'; digest: string } {
  if (hash !== 'none') return { hash, digest: key.toLowerCase() }
  return { hash: 'sha256', digest: digestOf(new TextEncoder().encode(key)) }
}
