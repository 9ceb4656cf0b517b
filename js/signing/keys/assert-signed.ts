import type { CoreVerifier } from './core-verifier.js'
import { type OutsideVerifier, unverified } from './outside-verifier.js'

/** The core verifies by its own keys; keys outside of the core, if there are any, verify the rest. */
interface Verifiers extends Pick<CoreVerifier, 'use'> {
  readonly outside: OutsideVerifier | undefined
}

/**
 * Asserts that a trusted key made a signature over these bytes.
 *
 * @throws AlvariumError `SIGNATURE_INVALID`, and as `OutsideKeys.verifies` does
 */
export function assertSigned(
  trusted: Verifiers,
  keyId: string,
  bytes: Uint8Array,
  signature: Uint8Array,
): void {
  if (trusted.use((verifier) => verifier.verifies(keyId, bytes, signature))) return
  if (!trusted.outside?.knows(keyId)) throw unverified(keyId)
  trusted.outside.check(keyId, bytes, signature)
}
