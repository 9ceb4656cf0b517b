import { digestOf } from '../../foundation/core/hashing.js'
import type { ReadMessage } from './read-message.js'
import type { VerifiedAnnotation } from './verify-classic.js'

/**
 * Returns a hash of the dialect, the action and the texts of all annotations as an id. Includes the unsigned
 * action: otherwise an altered copy that arrives first could make the genuine message count as a duplicate.
 */
export function classicIdOf({ action, dialect, items }: ReadMessage): string {
  return idOf('message', [dialect.name, action, ...items])
}

/**
 * Returns a hash of an annotation's signed members and signer as an id, which is equal in every message. The
 * member `id` is not enough, because a signer may use an id twice.
 *
 * @returns 64 hexadecimal digits (crate/FORMAT.md, Logs of stores)
 */
export function annotationIdOf(annotation: VerifiedAnnotation): string {
  const { signer, id, key, hash, host, tag, layer, kind, isSatisfied, timestamp } = annotation
  return idOf('annotation', [signer, id, key, hash, host, tag, layer, kind, isSatisfied, timestamp])
}

function idOf(what: 'message' | 'annotation', members: readonly (string | boolean)[]): string {
  return digestOf(new TextEncoder().encode(JSON.stringify([`alvarium-sdk classic ${what} 1`, ...members])))
}
