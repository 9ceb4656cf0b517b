import { digestOf } from '../../core/hashing.js'
import type { PayloadName } from '../../judge/payload-name.js'

// What things are called in exports, where names are URIs. They name, and lead nowhere (FORMAT.md, Exports).

/** The predicate of a statement about a bundle. FORMAT.md, Exports. */
export const PREDICATE = 'https://alvarium.org/attestation/bundle/v1'

/** What stands before the id of a sealed set. */
export const SETS = 'https://alvarium.org/set/v1/'

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
