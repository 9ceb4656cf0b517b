import { loadAlgorithms } from '../../foundation/algorithms/load-algorithms.js'
import type { VerifyingCore } from './core-verifier.js'
import type { Keyring } from './keyring.js'
import { invalidSignature, unknownSigner } from './outside-verifier.js'

export function assertSigned(
  trusted: VerifyingCore,
  keyId: string,
  bytes: Uint8Array,
  signature: Uint8Array,
): void {
  if (trusted.use((verifier) => verifier.verifies(keyId, bytes, signature))) return
  if (!trusted.outside?.knows(keyId)) throw invalidSignature(keyId)
  trusted.outside.check(keyId, bytes, signature)
}

export function assertKnown(keyring: Keyring, signer: string): void {
  if (keyring.ed25519(signer) || keyring.outside?.knows(signer)) return
  throw unknownSigner(signer, keyring.size)
}

/** Loads the algorithms that a keyring needs, and reads its keys into the core, some at a time. */
export async function makeReady(keyring: Keyring): Promise<void> {
  if (keyring.needsAlgorithms) await loadAlgorithms()
  if (!keyring.isReady) await keyring.ready()
}
