import { keyOf } from '../core/hashing.js'
import type { ReadMessage } from './read-message.js'

/**
 * Of all that it says, the annotations as their texts: another id than any bundle's, which are hashes of other bytes. What is not
 * signed is in it too; else somebody could send it first with another action, and the true one would be taken for a copy.
 */
export function classicIdOf({ action, dialect, items }: ReadMessage): string {
  const text = JSON.stringify(['alvarium-sdk classic message 1', dialect.name, action, ...items])
  return keyOf(new TextEncoder().encode(text), 'sha256').toLowerCase()
}
