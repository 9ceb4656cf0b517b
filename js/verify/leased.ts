import { type GivenLeases, takingLeases } from '../keys/given-leases.js'
import type { JudgedKeyring } from '../keys/trust-policy.js'
import { type VerifyOptions, withTrusted } from './options.js'

/**
 * As `withTrusted`; for a message of a signer whom the policy does not have, once more with the keys of the leases.
 *
 * @throws AlvariumError `CONFIG_INVALID` for leases without a policy
 */
export function withLeases<T>(
  options: Pick<VerifyOptions, 'keyring' | 'pool' | 'checkpoints'>,
  leases: GivenLeases['leases'],
  use: (judging: JudgedKeyring) => T | Promise<T>,
): Promise<T> {
  return withTrusted(
    options,
    leases ? (trusting) => takingLeases(trusting).one(leases, use, options.checkpoints) : use,
  )
}
