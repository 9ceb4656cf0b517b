import { digestOf } from '../../foundation/core/hashing.js'
import type { VerifiedAnnotation } from './verify-classic.js'

/**
 * Returns an id over all signed members and the signer, which is the same in any message. The annotation's own `id` does not identify it,
 * because a signer may use one id twice.
 *
 * @returns 64 hexadecimal digits (crate/FORMAT.md, Logs of stores)
 */
export function annotationIdOf(annotation: VerifiedAnnotation): string {
  const { signer, id, key, hash, host, tag, layer, kind, isSatisfied, timestamp } = annotation
  const members = [signer, id, key, hash, host, tag, layer, kind, isSatisfied, timestamp]
  const text = JSON.stringify(['alvarium-sdk classic annotation 1', ...members])
  return digestOf(new TextEncoder().encode(text))
}
