/// <reference lib="esnext.disposable" preserve="true" />
// `alvarium-sdk/trust`: trust policies, which say who may sign what, and until when.

export type { LeasedKey, LogState } from '../../signing/keys/leased-key.js'
export type { SignedBy, SignedByLease, TrustPolicy } from '../../signing/keys/trust-policy.js'
export type { PolicyDifference } from './events.js'
export { type TrustEventMap, TrustUpdatedEvent, TrustUpdateFailedEvent } from './events.js'
export { type IssueLeaseOptions, issueLease } from './leases/issue-lease.js'
export { type Lease, readLease } from './leases/lease.js'
export { type LeasedOptions, leased } from './leases/leased.js'
export { type ExplainOptions, Trust } from './open-trust.js'
export type { Explanation, Finding } from './permits/explain.js'
export type {
  Allowed,
  KeyEntry,
  LeaseRevocation,
  Policy,
  PolicyKey,
  PolicySigner,
  Revocation,
  Validity,
} from './policy/policy.js'
export { type ReadTrustOptions, readTrust } from './read-trust.js'
