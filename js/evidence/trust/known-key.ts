import type { SignedBy } from '../../signing/keys/trust-policy.js'
import type { ReadSigner } from './policy-schema.js'
import type { Rules } from './rules.js'
import type { Times } from './times.js'

/** Key of a policy, with its rules, times and limits of leases. */
export interface KnownKey {
  readonly id: string
  readonly signer: string
  readonly rules: Rules
  readonly times: Times
  readonly leasing: Leasing
  /** Member `signedBy` of verified bundles, by the time of signing and (`received`) of receipt: one object for all bundles. */
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
