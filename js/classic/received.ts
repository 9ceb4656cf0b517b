import { AlvariumError } from '../base/errors.js'
import { keyOf } from '../hashing/hashing.js'
import type { Keyring } from '../keys/keyring.js'
import { type ReadMessage, readIfClassic } from './read-message.js'
import { type ClassicMessage, verifyRead } from './verify-classic.js'

/** A classic message, and how it is known again. */
export interface IdentifiedClassic extends ClassicMessage {
  readonly id: string
}

/**
 * Verifies a message that may be classic.
 *
 * @returns `undefined` when it does not say that it is
 * @throws AlvariumError `MESSAGE_MALFORMED` when it says so and is not; of a message in which no annotation verifies, why the first
 * does not: without one, nobody who is trusted has said anything
 */
export async function verifyIfClassic(
  message: Uint8Array,
  trusted: Keyring,
): Promise<IdentifiedClassic | undefined> {
  const read = readIfClassic(message)
  if (!read) return undefined
  const verified = await verifyRead(read, trusted)
  const [first] = verified.annotations
  if (!first) throw new AlvariumError('SIGNATURE_INVALID', NO_ANNOTATION)
  if (verified.annotations.some(({ status }) => status === 'fulfilled'))
    return { ...verified, id: idOf(read) }
  throw (first as PromiseRejectedResult).reason
}

const NO_ANNOTATION = 'annotations: expected at least one, as only they are signed, got none'

/**
 * Of all that it says, the annotations as their texts: another id than any bundle's, which are hashes of other bytes. What is not
 * signed is in it too; else somebody could send it first with another action, and the true one would be taken for a copy.
 */
function idOf({ action, dialect, items }: ReadMessage): string {
  const text = JSON.stringify(['alvarium-sdk classic message 1', dialect.name, action, ...items])
  return keyOf(new TextEncoder().encode(text), 'sha256').toLowerCase()
}
