import { keyOf } from '../../foundation/core/hashing.js'
import type { ReadMessage } from './read-message.js'

/**
 * Returns an id over all contents, with the annotations as texts. It differs from the ids of bundles, which are hashes of other bytes. The
 * unsigned action is included: otherwise an attacker could send the message first with another action, and the genuine one would count as a
 * copy.
 */
export function classicIdOf({ action, dialect, items }: ReadMessage): string {
  const text = JSON.stringify(['alvarium-sdk classic message 1', dialect.name, action, ...items])
  return keyOf(new TextEncoder().encode(text), 'sha256').toLowerCase()
}
