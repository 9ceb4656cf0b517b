import type { SignedBy } from '../keys/trust-policy.js'
import type { ReadSigner } from './policy-schema.js'
import type { Rules } from './rules.js'
import type { Times } from './times.js'

/** A key of a policy, with all that holds for it. */
export interface KnownKey {
  readonly id: string
  readonly signer: string
  readonly rules: Rules
  readonly times: Times
  readonly leasing: Leasing
  /** Member `signedBy` of verified bundles: the same object for all of them. */
  readonly signed: SignedBy
  readonly received: SignedBy
}

/** Limits of the leases that a signer may give. */
export interface Leasing {
  readonly acceptLateMs: number
  readonly maxLeaseMs: number
  readonly revokedLeases: ReadSigner['revokedLeases']
}

/** The times and rules of a key, or of a lease. */
export type Limits = Pick<KnownKey, 'rules' | 'times'>
