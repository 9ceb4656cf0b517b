import { type LeaseOptions, leasesFor, leaseTrustOf } from '../../signing/keys/lease-options.js'
import type { JudgedKeyring } from '../../signing/keys/trust-policy.js'
import { type VerifyOptions, withTrusted } from './options.js'

/**
 * Calls `use` with the trusted keys, like `withTrusted`. If the signer of the message is unknown, calls it
 * again with the keys of the leases.
 *
 * @throws AlvariumError `CONFIG_INVALID` for leases without a trust policy, and for too many leases
 */
export function withLeases<T>(
  options: Pick<VerifyOptions, 'keyring' | 'pool' | 'checkpoints'>,
  leases: LeaseOptions['leases'],
  use: (judging: JudgedKeyring) => T | Promise<T>,
): Promise<T> {
  const { checkpoints } = options
  return withTrusted(options, (trusting) => {
    const given = leasesFor(leases, checkpoints, trusting)
    return given ? leaseTrustOf(trusting).verifyOne(given, use, checkpoints) : use(trusting)
  })
}
