import { withCore } from '../core/core.js'
import { keyOf } from '../core/hashing.js'

/** The id of the bundle in a message of ours: a leaf of one (FORMAT.md, Bundle ids; RFC 9162, 2.1.1). */
export function bundleIdOf(json: Uint8Array): string {
  const identity = withCore((core) => core.identityOf(json))
  const leaf = new Uint8Array(1 + identity.length)
  leaf.set(identity, 1)
  return keyOf(leaf, 'sha256').toLowerCase()
}
