import { AlvariumError } from '../base/errors.js'
import type { CoreVerifier } from '../keys/core-verifier.js'
import type { OtherVerifier } from '../keys/other-verifier.js'

/** Who verifies: the core, for Ed25519, and beside it whoever does for keys of other algorithms, if there are any. */
export interface Verifying extends Pick<CoreVerifier, 'use'> {
  readonly others: OtherVerifier | undefined
}

/**
 * Verifies a message.
 *
 * @returns its bundles, as JSON
 * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, and as `withAlgorithms` does
 */
export function verifyOne(trusted: Verifying, message: Uint8Array): string {
  try {
    return trusted.use((verifier) => verifier.verify(message))
  } catch (error) {
    const isStranger = error instanceof AlvariumError && error.code === 'SIGNER_UNKNOWN'
    if (!isStranger || !trusted.others) throw error
    return verifyByOther(trusted, trusted.others, message)
  }
}

/**
 * Verifies a message whose signer the core does not know. A stranger's is read and not hashed, as the core has it too.
 *
 * @returns and throws as {@link verifyOne}
 */
export function verifyByOther(
  trusted: Pick<Verifying, 'use'>,
  others: OtherVerifier,
  message: Uint8Array,
): string {
  others.assertKnown(trusted.use((verifier) => verifier.claimant(message)))
  return others.verified(trusted.use((verifier) => verifier.claimed(message, false)))
}
