import { AlvariumError } from '../base/errors.js'
import type { Keyring } from '../keys/keyring.js'
import { classicIdOf } from './id.js'
import { readIfClassic } from './read-message.js'
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
    return { ...verified, id: classicIdOf(read) }
  throw (first as PromiseRejectedResult).reason
}

const NO_ANNOTATION = 'annotations: expected at least one, as only they are signed, got none'
