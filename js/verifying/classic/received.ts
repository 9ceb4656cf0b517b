import type { Keyring } from '../../signing/keys/keyring.js'
import { openTrusted, type TrustPolicy } from '../../signing/keys/trust-policy.js'
import { classicIdOf } from './ids.js'
import { decidingError } from './judged.js'
import { isAnnouncement, readIfClassic } from './read-message.js'
import { type ClassicContext, type ClassicMessage, verifyRead } from './verify-classic.js'

export interface IdentifiedClassic extends ClassicMessage {
  readonly id: string
}

/** Settings for messages without annotations. Announcements of Go's SDK are skipped in any case. */
export interface ClassicSettings {
  readonly emptyLists: 'reject' | 'pass'
}

/**
 * Verifies a message that may be classic.
 *
 * @returns `undefined` for a message that is not classic; `skipped` for an announcement of Go's SDK, and for a
 * message without annotations if `emptyLists` is `pass`
 * @throws AlvariumError `MESSAGE_MALFORMED` for a malformed classic message; `SIGNER_UNKNOWN` for a message
 * without annotations; if no annotation verifies, the first error with the outcome of the whole message
 */
export async function verifyIfClassic(
  message: Uint8Array,
  trusted: Keyring | TrustPolicy,
  { emptyLists }: ClassicSettings,
  circumstances: Pick<ClassicContext, 'receivedAt' | 'leases'>,
): Promise<IdentifiedClassic | 'skipped' | undefined> {
  const read = readIfClassic(message)
  if (!read) return isAnnouncement(message) ? 'skipped' : undefined
  if (read.items.length === 0 && emptyLists === 'pass') return 'skipped'
  const verified = await verifyRead(read, await openTrusted(trusted), circumstances)
  const isHeard = verified.annotations.some(({ status }) => status === 'fulfilled')
  if (isHeard) return { ...verified, id: classicIdOf(read) }
  throw decidingError(verified)
}
