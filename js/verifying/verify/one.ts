import { AlvariumError } from '../../foundation/base/errors.js'
import { Extent } from '../../foundation/core/core.js'
import type { CoreVerifier } from '../../signing/keys/core-verifier.js'
import type { OutsideVerifier } from '../../signing/keys/outside-verifier.js'

/** The core verifies by its own keys; keys outside of the core, if there are any, verify the rest. */
export interface VerifyingCore extends Pick<CoreVerifier, 'use'> {
  readonly outside: OutsideVerifier | undefined
}

/**
 * Verifies a message.
 *
 * @returns its bundles, as JSON
 * @throws AlvariumError `MESSAGE_MALFORMED`, `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, and as `OutsideKeys.verifies` does
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
 * Verifies a message whose signer the core does not know. The message of a stranger is read and not hashed, the same as
 * in the core.
 *
 * @returns and throws as {@link verifyOne}
 */
export function verifyOutside(
  trusted: Pick<VerifyingCore, 'use'>,
  outside: OutsideVerifier,
  message: Uint8Array,
): string {
  outside.assertKnown(trusted.use((verifier) => verifier.claimant(message)))
  return outside.verify(trusted.use((verifier) => verifier.claimed(message, Extent.Whole)))
}
