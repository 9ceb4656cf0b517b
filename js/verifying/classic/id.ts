import { keyOf } from '../../foundation/core/hashing.js'
import type { ReadMessage } from './read-message.js'

/**
 * Returns a hash of the dialect, the action and the texts of all annotations as an id. Includes the unsigned
 * action: otherwise an altered copy that arrives first could make the genuine message count as a duplicate.
 */
export function classicIdOf({ action, dialect, items }: ReadMessage): string {
  const text = JSON.stringify(['alvarium-sdk classic message 1', dialect.name, action, ...items])
  return keyOf(new TextEncoder().encode(text), 'sha256').toLowerCase()
}
