import { copied } from '../base/bytes/join.js'
import { AlvariumError, assertBytes } from '../base/errors.js'
import type { Judging, LeaseBook, TakesLeases, Trusting } from '../keys/trust-policy.js'
import { type VerifyOptions, withTrusted } from './options.js'

/**
 * The leases of a call, as they are now: they are looked at later.
 *
 * @throws TypeError when one is no bytes
 */
export function leasesIn(options: Pick<VerifyOptions, 'leases'>): readonly Uint8Array[] | undefined
export function leasesIn(options: Given): Given['leases']
export function leasesIn({ leases }: Given): Given['leases'] {
  if (leases === undefined || 'size' in leases) return leases
  return leases.map((lease) => {
    assertBytes(lease, 'leases')
    return copied(lease)
  })
}

/** The leases of a call, or those that have come before it. */
interface Given {
  readonly leases?: readonly Uint8Array[] | LeaseBook | undefined
}

/**
 * As `withTrusted`; for a message of a signer whom the policy does not have, once more with the keys of the leases.
 *
 * @throws AlvariumError `CONFIG_INVALID` for leases without a policy
 */
export function withLeases<T>(
  options: Pick<VerifyOptions, 'keyring' | 'pool'>,
  leases: Given['leases'],
  use: (judging: Judging) => T | Promise<T>,
): Promise<T> {
  return withTrusted(options, leases ? (trusting) => takingLeases(trusting).one(leases, use) : use)
}

/** @throws AlvariumError `CONFIG_INVALID` for keys, which do not say who may give leases */
export function takingLeases({ leased }: Trusting): TakesLeases {
  if (leased) return leased
  throw new AlvariumError('CONFIG_INVALID', 'leases: expected a trust policy, got keys')
}
