import { copied } from '../base/bytes/join.js'
import { assertBytes, describe, expected } from '../base/errors.js'
import type { LeaseBook, TakesLeases, Trusting } from './trust-policy.js'

/** The leases of a call, or those that have come before it. */
export interface GivenLeases {
  readonly leases?: readonly Uint8Array[] | LeaseBook | undefined
}

/**
 * The leases of a call, as they are now: they are looked at later.
 *
 * @throws TypeError when one is no bytes
 */
export function leasesIn(options: {
  readonly leases?: readonly Uint8Array[] | undefined
}): readonly Uint8Array[] | undefined
export function leasesIn(options: GivenLeases): GivenLeases['leases']
export function leasesIn({ leases }: GivenLeases): GivenLeases['leases'] {
  if (leases === undefined) return leases
  if (typeof leases !== 'object' || leases === null) {
    throw new TypeError(`leases: expected an array of leases, got ${describe(leases)}`)
  }
  if ('size' in leases) return leases
  return leases.map((lease) => {
    assertBytes(lease, 'leases')
    return copied(lease)
  })
}

/** Returns the leases of a call; none of a call whose checkpoints alone may show when a message existed, if a policy judges it. */
export function leasesFor(
  leases: GivenLeases['leases'],
  checkpoints: readonly unknown[] | undefined,
  { leased }: Trusting,
): GivenLeases['leases'] {
  return leases ?? (leased && checkpoints && checkpoints.length > 0 ? [] : undefined)
}

/** @throws AlvariumError `CONFIG_INVALID` for keys, which do not say who may give leases */
export function takingLeases({ leased }: Trusting): TakesLeases {
  if (leased) return leased
  throw expected('CONFIG_INVALID', 'leases', 'a trust policy, which says who may give leases', 'keys')
}
