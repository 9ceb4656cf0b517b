import { withAlgorithms } from '../../../foundation/algorithms/algorithms.js'
import { loadAlgorithms } from '../../../foundation/algorithms/load-algorithms.js'
import { assertBytes, describe, expected } from '../../../foundation/base/errors.js'
import type { EcKey } from '../../../foundation/model/algorithm.js'
import { invalid, shownName } from '../fault.js'
import type { SigningKeyInput } from '../key-pair.js'
import { assertSignable } from '../verifying.js'
import { SECP256K1 } from './curves.js'
import { spkiOf } from './der.js'
import { ecKeyAt } from './public-key.js'
import { openEc } from './signing-key.js'

/**
 * A signer with a public key that is not known yet. The public key is recovered from the signature (SEC 1 §4.1.6) and
 * accepted if it has this key id, like an owner's address in a ledger. Only secp256k1 allows this.
 */
export interface Address {
  readonly algorithm: 'secp256k1'
  /** Key id: 32 lower-case hexadecimal digits, as from `keyIdOf`. */
  readonly keyId: string
}

/** All recovery ids. 0 and 1 select a point by its parity; 2 and 3 are for an x of n or more, which is rare. */
const IDS = [0, 1, 2, 3]

/** Returns whether a key is an address. An object with `verifyingKey` is a key pair, which was passed by mistake. */
export function isAddress(key: unknown): key is Address {
  return typeof key === 'object' && key !== null && 'keyId' in key && !('verifyingKey' in key)
}

export function addressOf({ algorithm, keyId }: Address): EcKey {
  const { name, number } = SECP256K1
  if (algorithm !== name)
    throw invalid('verifyingKey.algorithm', "'secp256k1' with a keyId", shownName(algorithm))
  const isId = typeof keyId === 'string' && /^[0-9a-f]{32}$/.test(keyId)
  if (!isId) throw invalid('verifyingKey.keyId', '32 lower-case hexadecimal digits', shownId(keyId))
  return { algorithm, number, keyId }
}

function shownId(keyId: unknown): string {
  return typeof keyId === 'string' ? `a text of ${keyId.length} characters` : describe(keyId)
}

/** Recovers the public key of a signature over `bytes`. Returns undefined unless a candidate has the given key id. */
export function recoverById(
  keyId: string,
  bytes: Uint8Array,
  signature: Uint8Array,
): Required<EcKey> | undefined {
  for (const id of IDS) {
    const point = withAlgorithms((algorithms) => algorithms.recovered(bytes, signature, id))
    const key = point && ecKeyAt(SECP256K1, point)
    if (key?.keyId === keyId) return key
  }
  return undefined
}

/**
 * Signs with secp256k1 so that the public key can be recovered from the signature. The recovery id is computed from the
 * nonce's point during signing.
 *
 * @param bytes - at most 16 MiB; hash longer input and sign the digest
 * @returns 65 bytes: r ‖ s, with the lower s, and the recovery id, 0 to 3
 * @throws AlvariumError `KEY_INVALID` for a key of another algorithm, and the errors of `loadAlgorithms`
 * @throws TypeError, RangeError for `bytes` of another type or over 16 MiB
 *
 * @example
 * ```ts
 * const { signingKey, keyId } = await generateKey({ algorithm: 'secp256k1' })
 * const signature = await signRecoverable(signingKey, bytes)
 * keyIdOf(await recoverKey(bytes, signature)) === keyId // true
 * ```
 */
export async function signRecoverable(signingKey: SigningKeyInput, bytes: Uint8Array): Promise<Uint8Array> {
  assertSignable(bytes)
  await loadAlgorithms()
  const key = openEc(signingKey)
  try {
    if (key.algorithm === SECP256K1.name) return key.signRecoverable(bytes)
    throw invalid('signingKey', 'a secp256k1 key', `a key of ${key.algorithm}`)
  } finally {
    key.free()
  }
}

/**
 * Recovers the public key that made a signature with secp256k1.
 *
 * @param signature - 65 bytes: r ‖ s and the recovery id
 * @returns SubjectPublicKeyInfo, as DER
 * @throws AlvariumError `SIGNATURE_INVALID` when no key can have made the signature: r or s is out of range, or s is
 * high (not low-S); also the errors of `loadAlgorithms`
 * @throws TypeError, RangeError for `bytes` of another type or over 16 MiB
 *
 * @example
 * ```ts
 * const { signingKey, keyId } = await generateKey({ algorithm: 'secp256k1' })
 * keyIdOf(await recoverKey(bytes, await signRecoverable(signingKey, bytes))) === keyId // true
 * ```
 */
export async function recoverKey(bytes: Uint8Array, signature: Uint8Array): Promise<Uint8Array> {
  assertSignable(bytes)
  assertBytes(signature, 'signature')
  await loadAlgorithms()
  const [id = -1] = signature.subarray(64)
  const point =
    signature.length === 65 && IDS.includes(id)
      ? withAlgorithms((algorithms) => algorithms.recovered(bytes, signature.subarray(0, 64), id))
      : undefined
  if (point) return spkiOf(SECP256K1, point)
  const expectation = '65 bytes: r, the lower s, and a recovery id from 0 to 3'
  const got = `${signature.length} bytes that give no public key`
  throw expected('SIGNATURE_INVALID', 'signature', expectation, got)
}
