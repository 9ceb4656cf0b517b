import { loadAlgorithms } from '../algorithms/load-algorithms.js'
import type { Algorithm } from '../model/algorithm.js'
import { isEc } from './ec-der.js'
import { keyBytes } from './forms.js'
import type { SigningKeyInput } from './key-pair.js'
import { otherKeyIn } from './other.js'
import { isOther, openOther } from './other-signing.js'
import type { VerifyingKeyInput } from './verifying.js'

/**
 * How a private key signs.
 *
 * @throws AlvariumError `KEY_INVALID`, and as `loadAlgorithms` does
 */
export async function signingAlgorithmOf(input: SigningKeyInput): Promise<Algorithm> {
  if (!isOther(input)) return 'Ed25519'
  await loadAlgorithms()
  const key = openOther(input)
  key.free()
  return key.algorithm
}

/**
 * How signatures of a public key's owner are verified.
 *
 * @throws AlvariumError `KEY_INVALID`, and as `loadAlgorithms` does
 */
export async function verifyingAlgorithmOf(input: VerifyingKeyInput): Promise<Algorithm> {
  const bytes = keyBytes(input, 'verifyingKey')
  if (!isEc(bytes)) return 'Ed25519'
  await loadAlgorithms()
  return otherKeyIn(bytes)?.algorithm ?? 'Ed25519'
}
