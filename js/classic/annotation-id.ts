import { digestOf } from '../core/hashing.js'
import type { VerifiedAnnotation } from './verify-classic.js'

/**
 * Of all that was signed, and by whom: whatever message it comes in, it is the same annotation. Its own `id` says nothing of that, as
 * a signer may give one to two.
 *
 * @returns 64 hexadecimal digits (crate/FORMAT.md, Logs of stores)
 */
export function annotationIdOf(annotation: VerifiedAnnotation): string {
  const { signer, id, key, hash, host, tag, layer, kind, isSatisfied, timestamp } = annotation
  const members = [signer, id, key, hash, host, tag, layer, kind, isSatisfied, timestamp]
  const text = JSON.stringify(['alvarium-sdk classic annotation 1', ...members])
  return digestOf(new TextEncoder().encode(text))
}
