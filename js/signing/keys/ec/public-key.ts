import { withAlgorithms } from '../../../foundation/algorithms/algorithms.js'
import { loadAlgorithms } from '../../../foundation/algorithms/load-algorithms.js'
import { withCore } from '../../../foundation/core/core.js'
import type { EcKey } from '../../../foundation/model/algorithm.js'
import { invalid } from '../fault.js'
import { SIGNATURE_LENGTH } from '../outside-verifier.js'
import { type Curve, pointOf } from './curves.js'
import { fromSpki, isEc, isPrivate, spkiOf } from './der.js'

/**
 * Reads an EC public key. Returns undefined for bytes that may be an Ed25519 key.
 *
 * @throws AlvariumError `KEY_INVALID` for a private key, and for a point that is not on its curve
 */
export function ecKeyIn(bytes: Uint8Array): Required<EcKey> | undefined {
  const spki = fromSpki(bytes)
  if (spki) return ecKeyAt(spki.curve, spki.point)
  if (!isEc(bytes)) return undefined
  const got = isPrivate(bytes) ? 'DER that looks like a private key' : 'DER of another curve, or damaged DER'
  throw invalid('verifyingKey', 'a public key of Ed25519, P-256, secp256k1 or SM2', got)
}

export function ecKeyAt(curve: Curve, encoded: Uint8Array): Required<EcKey> {
  const point = pointOf(curve, encoded)
  if (!point) throw invalid('verifyingKey', `a public key of ${curve.name}`, 'a point that is not valid')
  return { algorithm: curve.name, number: curve.number, keyId: idOf(spkiOf(curve, point)), point }
}

/** Computes the key id. It depends on the algorithm, which SubjectPublicKeyInfo names (FORMAT.md, Keys and key ids). */
function idOf(spki: Uint8Array): string {
  return withCore((core) => core.keyOf('sha256', spki, false))
    .slice(0, 32)
    .toLowerCase()
}

/**
 * Returns whether a key made a signature r ‖ s. For ECDSA, only the low-S signature is valid. Throws the
 * errors of `withAlgorithms`.
 */
export function ecVerifies(key: Required<EcKey>, bytes: Uint8Array, signature: Uint8Array): boolean {
  return withAlgorithms((algorithms) => algorithms.verifies(key.number, key.point, bytes, signature))
}

/** Verifies a signature r ‖ s of 64 bytes, low-S or high-S, as other programs write it. Messages allow only low-S. */
export async function verifyEitherS(
  key: Required<EcKey>,
  bytes: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  await loadAlgorithms()
  if (signature.length !== SIGNATURE_LENGTH) return false
  const canonical = withAlgorithms((algorithms) => algorithms.canonical(key.number, signature))
  return canonical !== undefined && ecVerifies(key, bytes, canonical)
}
