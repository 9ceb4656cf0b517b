import { digestOf } from '../../foundation/core/hashing.js'
import type { VerifiedAnnotation } from './verify-classic.js'

/**
 * Returns a hash of an annotation's signed members and signer as an id, which is equal in every message. The
 * member `id` is not enough, because a signer may use an id twice.
 *
 * @returns 64 hexadecimal digits (crate/FORMAT.md, Logs of stores)
 */
export function annotationIdOf(annotation: VerifiedAnnotation): string {
  const { signer, id, key, hash, host, tag, layer, kind, isSatisfied, timestamp } = annotation
  const members = [signer, id, key, hash, host, tag, layer, kind, isSatisfied, timestamp]
  const text = JSON.stringify(['alvarium-sdk classic annotation 1', ...members])
  return digestOf(new TextEncoder().encode(text))
}
