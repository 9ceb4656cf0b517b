import { copied } from '../base/copied.js'
import { AlvariumError, assertBytes, describe } from '../base/errors.js'
import type { Judging, Leased, Trusting } from '../keys/trust-policy.js'
import { type VerifyOptions, withTrusted } from './options.js'

const MOST_LEASES = 1024

/**
 * The leases of a call, as they are now: they are looked at later.
 *
 * @throws TypeError when they are no array of bytes
 * @throws AlvariumError `CONFIG_INVALID` for too many
 */
export function leasesIn({ leases }: Pick<VerifyOptions, 'leases'>): Uint8Array[] | undefined {
  if (leases === undefined) return undefined
  if (!Array.isArray(leases)) throw new TypeError(`leases: expected an array, got ${describe(leases)}`)
  if (leases.length > MOST_LEASES) {
    const text = `leases: expected at most ${MOST_LEASES}, got ${leases.length}`
    throw new AlvariumError('CONFIG_INVALID', text)
  }
  return leases.map((lease: Uint8Array, at) => {
    assertBytes(lease, `leases[${at}]`)
    return copied(lease)
  })
}

/**
 * As `withTrusted`; for a message of a signer whom the policy does not have, once more with the keys of the leases.
 *
 * @throws AlvariumError `CONFIG_INVALID` for leases without a policy
 */
export function withLeases<T>(
  options: Pick<VerifyOptions, 'keyring' | 'pool'>,
  leases: readonly Uint8Array[] | undefined,
  use: (judging: Judging) => T | Promise<T>,
): Promise<T> {
  return withTrusted(options, leases ? (trusting) => byLease(trusting, leases, use) : use)
}

async function byLease<T>(
  trusting: Trusting,
  leases: readonly Uint8Array[],
  use: (judging: Judging) => T | Promise<T>,
): Promise<T> {
  assertTakesLeases(trusting)
  try {
    return await use(trusting)
  } catch (error) {
    if (!isStranger(error)) throw error
    const leased = await trusting.leased(leases)
    try {
      return await use(leased)
    } catch (refusal) {
      throw isStranger(refusal) ? unknown(error, leased) : refusal
    }
  }
}

/** @throws AlvariumError `CONFIG_INVALID` */
export function assertTakesLeases(trusting: Trusting): asserts trusting is Required<Trusting> {
  if (trusting.leased) return
  const expected =
    'a trust policy as keyring, which says who may give leases (readTrust of alvarium-sdk/trust)'
  throw new AlvariumError('CONFIG_INVALID', `leases: expected ${expected}, got keys`)
}

/** Whether nobody who is trusted has the key that signed. */
export function isStranger(error: unknown): error is AlvariumError {
  return error instanceof AlvariumError && error.code === 'SIGNER_UNKNOWN'
}

/** Unknown with the leases too, of which one may be why. */
export function unknown(error: AlvariumError, { fault }: Leased): AlvariumError {
  return fault === undefined ? error : new AlvariumError(error.code, `${error.message}; ${fault}`)
}
