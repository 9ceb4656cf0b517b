import type { CoreVerifier } from './core-verifier.js'
import { type EcVerifier, unverified } from './ec-verifier.js'

/** The core verifies by Ed25519 keys, and another module by EC keys, if there are any. */
interface Verifiers extends Pick<CoreVerifier, 'use'> {
  readonly ec: EcVerifier | undefined
}

/**
 * That a signature over these bytes is by a key that is trusted.
 *
 * @throws AlvariumError `SIGNATURE_INVALID`, and as `withAlgorithms` does
 */
export function assertSigned(
  trusted: Verifiers,
  keyId: string,
  bytes: Uint8Array,
  signature: Uint8Array,
): void {
  if (trusted.use((verifier) => verifier.verifies(keyId, bytes, signature))) return
  if (!trusted.ec?.knows(keyId)) throw unverified(keyId)
  trusted.ec.check(keyId, bytes, signature)
}
