import { digestOf } from '../../core/hashing.js'
import type { PayloadName } from '../../judge/payload-name.js'

// Names in exports are URIs. They name, and lead nowhere (FORMAT.md, Exports).

/** Beginning of all of them, until the Alvarium project agrees to names under its domain: the host cannot exist (RFC 2606 §2). */
export const NAMES = 'https://example.invalid/alvarium-sdk/'

/** The predicate of a statement about a bundle. FORMAT.md, Exports. */
export const PREDICATE = `${NAMES}attestation/bundle/v1`

/** What stands before the id of a sealed set. */
export const SETS = `${NAMES}set/v1/`

/** By which hash a payload is named in exports, and its digest in lower-case hexadecimal. */
export interface PayloadDigest {
  readonly hash: 'sha256' | 'md5'
  readonly digest: string
}

/** Of a payload that is its own key, SHA-256: nobody asked for it to be shown elsewhere. */
export function payloadDigest({ hash, key }: PayloadName): PayloadDigest {
  if (hash !== 'none') return { hash, digest: key.toLowerCase() }
  return { hash: 'sha256', digest: digestOf(new TextEncoder().encode(key)) }
}
