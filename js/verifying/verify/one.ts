import { AlvariumError } from '../../foundation/base/errors.js'
import { Extent } from '../../foundation/core/core.js'
import type { VerifyingCore } from '../../signing/keys/core-verifier.js'
import { claimsIn, type OutsideVerifier } from '../../signing/keys/outside-verifier.js'

const decoder = new TextDecoder()

/**
 * Verifies a message.
 *
 * @returns the bundles of the message, as JSON
 * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, and others of `trusted.outside`
 */
export function verifyOne(trusted: VerifyingCore, message: Uint8Array): string {
  try {
    return trusted.use((verifier) => verifier.verify(message))
  } catch (error) {
    const isStranger = error instanceof AlvariumError && error.code === 'SIGNER_UNKNOWN'
    if (!isStranger || !trusted.outside) throw error
    return verifyOutside(trusted, trusted.outside, message)
  }
}

/**
 * Verifies a message whose signer has no key in the core. Computes no hashes if the signer has no key in
 * `outside` either.
 *
 * @returns the bundles of the message, as JSON
 */
export function verifyOutside(
  trusted: Pick<VerifyingCore, 'use'>,
  outside: OutsideVerifier,
  message: Uint8Array,
): string {
  outside.assertKnown(trusted.use((verifier) => verifier.claimant(message)))
  const claimed = trusted.use((verifier) => verifier.claimed(message, Extent.Whole))
  const { signer, identity, signature, bundles } = claimsIn(claimed)
  outside.check(signer, identity, signature)
  return decoder.decode(bundles)
}
