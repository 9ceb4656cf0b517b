import { isCheckpoint, isLease, isSet } from '../../verifying/consume/control-messages.js'
import type { LineKind } from './parts.js'

/**
 * Returns the kind of line for a message, by its first bytes alone. Proofs are no messages of their own: a proof line also names set and
 * payload.
 */
export function lineKindOf(message: Uint8Array): Exclude<LineKind, 'proofs'> {
  if (isLease(message)) return 'leases'
  if (isCheckpoint(message)) return 'checkpoints'
  return isSet(message) ? 'sets' : 'messages'
}
