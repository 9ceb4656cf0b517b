import { loadAlgorithms } from '../../foundation/algorithms/load-algorithms.js'
import type { CoreVerifier } from './core-verifier.js'
import type { Keyring } from './keyring.js'
import { invalidSignature, type OutsideVerifier, unknownSigner } from './outside-verifier.js'

/** The core's verifier of Ed25519 keys, and a verifier for keys that the core cannot verify, if there are any. */
interface Verifiers extends Pick<CoreVerifier, 'use'> {
  readonly outside: OutsideVerifier | undefined
}

/**
 * Asserts that a trusted key made a signature over these bytes.
 *
 * @throws AlvariumError `SIGNATURE_INVALID`, and the errors of `OutsideKeys.verifies`
 */
export function assertSigned(
  trusted: Verifiers,
  keyId: string,
  bytes: Uint8Array,
  signature: Uint8Array,
): void {
  if (trusted.use((verifier) => verifier.verifies(keyId, bytes, signature))) return
  if (!trusted.outside?.knows(keyId)) throw invalidSignature(keyId)
  trusted.outside.check(keyId, bytes, signature)
}

/** Asserts that a keyring has a key with this id. @throws AlvariumError `SIGNER_UNKNOWN` */
export function assertKnown(keyring: Keyring, signer: string): void {
  if (keyring.ed25519(signer) || keyring.outside?.knows(signer)) return
  throw unknownSigner(signer, keyring.size)
}

/**
 * Loads the algorithms that a keyring needs, and reads its keys into the core, some at a time.
 *
 * @throws the errors of `loadAlgorithms`
 */
export async function makeReady(keyring: Keyring): Promise<void> {
  if (keyring.needsAlgorithms) await loadAlgorithms()
  if (!keyring.isReady) await keyring.ready()
}
