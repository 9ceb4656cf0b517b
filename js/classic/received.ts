import type { Keyring } from '../keys/keyring.js'
import { type LeaseBook, openTrusted, type TrustPolicy } from '../keys/trust-policy.js'
import { classicIdOf } from './id.js'
import { decidingError } from './judged.js'
import { isAnnouncement, readIfClassic } from './read-message.js'
import { type ClassicMessage, verifyRead } from './verify-classic.js'

/** A classic message, and how it is known again. */
export interface IdentifiedClassic extends ClassicMessage {
  readonly id: string
}

/** Which messages that say nothing about a payload are passed over, beside the announcements of Go's SDK. */
export interface ClassicWishes {
  readonly emptyLists: 'reject' | 'pass'
}

/** When a message came, in milliseconds since 1970, and the leases that had come before it. */
export interface ReceivedCircumstances {
  readonly receivedAt?: number | undefined
  readonly leases?: LeaseBook | undefined
}

/**
 * Verifies a message that may be classic.
 *
 * @returns `undefined` when it does not say that it is; `passed over` when it says nothing, and need not be rejected
 * @throws AlvariumError `MESSAGE_MALFORMED` when it says so and is not; of a message in which no annotation verifies, the reason of the first
 * that decides its outcome: nobody who is trusted has said anything. `SIGNER_UNKNOWN` of a message without annotations
 */
export async function verifyIfClassic(
  message: Uint8Array,
  trusted: Keyring | TrustPolicy,
  { emptyLists }: ClassicWishes = { emptyLists: 'reject' },
  { receivedAt, leases }: ReceivedCircumstances = {},
): Promise<IdentifiedClassic | 'passed over' | undefined> {
  const read = readIfClassic(message)
  if (!read) return isAnnouncement(message) ? 'passed over' : undefined
  if (read.items.length === 0 && emptyLists === 'pass') return 'passed over'
  const verified = await verifyRead(read, await openTrusted(trusted), { receivedAt, leases })
  const isHeard = verified.annotations.some(({ status }) => status === 'fulfilled')
  if (isHeard) return { ...verified, id: classicIdOf(read) }
  throw decidingError(verified)
}
