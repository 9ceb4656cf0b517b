import { AlvariumError } from '../base/errors.js'
import { Extent } from '../core/core.js'
import type { CoreVerifier } from '../keys/core-verifier.js'
import type { EcVerifier } from '../keys/ec-verifier.js'

/** Who verifies: the core by Ed25519 keys, and another module by EC keys, if there are any. */
export interface VerifyingCore extends Pick<CoreVerifier, 'use'> {
  readonly ec: EcVerifier | undefined
}

/**
 * Verifies a message.
 *
 * @returns its bundles, as JSON
 * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, and as `withAlgorithms` does
 */
export function verifyOne(trusted: VerifyingCore, message: Uint8Array): string {
  try {
    return trusted.use((verifier) => verifier.verify(message))
  } catch (error) {
    const isStranger = error instanceof AlvariumError && error.code === 'SIGNER_UNKNOWN'
    if (!isStranger || !trusted.ec) throw error
    return verifyByEc(trusted, trusted.ec, message)
  }
}

/**
 * Verifies a message whose signer the core does not know. A stranger's is read and not hashed, as the core has it too.
 *
 * @returns and throws as {@link verifyOne}
 */
export function verifyByEc(trusted: Pick<VerifyingCore, 'use'>, ec: EcVerifier, message: Uint8Array): string {
  ec.assertKnown(trusted.use((verifier) => verifier.claimant(message)))
  return ec.verified(trusted.use((verifier) => verifier.claimed(message, Extent.Whole)))
}
