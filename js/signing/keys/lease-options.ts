import { copyBytes } from '../../foundation/base/bytes/join.js'
import { assertBytes, describe, needs } from '../../foundation/base/errors.js'
import type { LeaseBook, LeaseTrust, OpenTrust } from './trust-policy.js'

/** Leases with which a call verifies messages: their bytes, or a {@link LeaseBook} of leases verified before. */
export interface LeaseOptions {
  readonly leases?: readonly Uint8Array[] | LeaseBook | undefined
}

/**
 * Copies the leases that a caller passed, because the caller may reuse their memory before they are read.
 *
 * @throws TypeError when a lease is not bytes
 */
export function copyLeases(options: {
  readonly leases?: readonly Uint8Array[] | undefined
}): readonly Uint8Array[] | undefined
export function copyLeases(options: LeaseOptions): LeaseOptions['leases']
export function copyLeases({ leases }: LeaseOptions): LeaseOptions['leases'] {
  if (leases === undefined) return leases
  if (typeof leases !== 'object' || leases === null) {
    throw new TypeError(`leases: expected an array of leases, got ${describe(leases)}`)
  }
  if ('size' in leases) return leases
  return leases.map((lease) => {
    assertBytes(lease, 'leases')
    return copyBytes(lease)
  })
}

/**
 * Returns the leases of a call. Returns an empty list for a call with checkpoints but no leases, because only the
 * verifier of leases reads the checkpoints.
 */
export function leasesFor(
  leases: LeaseOptions['leases'],
  checkpoints: readonly unknown[] | undefined,
  { leased }: OpenTrust,
): LeaseOptions['leases'] {
  return leases ?? (leased && checkpoints && checkpoints.length > 0 ? [] : undefined)
}

export function leaseTrustOf({ leased }: OpenTrust): LeaseTrust {
  if (leased) return leased
  throw needs('leases', 'a trust policy in place of keys: the policy says who may issue leases')
}
