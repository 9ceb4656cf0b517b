import { isCheckpoint, isLease, isSet } from '../consume/beside.js'
import type { LineKind } from './parts.js'

/** Among the lines of which kind a message belongs, by its first bytes alone. A proof has to say what it is about, and is none of them. */
export function lineKindOf(message: Uint8Array): Exclude<LineKind, 'proofs'> {
  if (isLease(message)) return 'leases'
  if (isCheckpoint(message)) return 'checkpoints'
  return isSet(message) ? 'sets' : 'messages'
}
