import { loadAlgorithms } from '../../foundation/algorithms/load-algorithms.js'
import type { Algorithm } from '../../foundation/model/algorithm.js'
import { isEc } from './ec/der.js'
import { ecKeyIn } from './ec/public-key.js'
import { isEcKey, openEc } from './ec/signing-key.js'
import { keyBytes } from './forms/key-bytes.js'
import type { SigningKeyInput } from './key-pair.js'
import type { VerifyingKeyInput } from './verifying.js'

/** Returns the algorithm with which a private key signs. Does not check the bytes of an Ed25519 key. */
export async function signingAlgorithmOf(input: SigningKeyInput): Promise<Algorithm> {
  if (!isEcKey(input)) return 'Ed25519'
  await loadAlgorithms()
  const key = openEc(input)
  key.free()
  return key.algorithm
}

/** Returns the algorithm with which a public key verifies signatures. Does not check the bytes of an Ed25519 key. */
export async function verifyingAlgorithmOf(input: VerifyingKeyInput): Promise<Algorithm> {
  const bytes = keyBytes(input, 'verifyingKey')
  if (!isEc(bytes)) return 'Ed25519'
  await loadAlgorithms()
  return ecKeyIn(bytes)?.algorithm ?? 'Ed25519'
}
