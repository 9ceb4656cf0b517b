import { withAlgorithms } from '../../../foundation/algorithms/algorithms.js'
import { randomFill } from '../../../foundation/base/bytes/random.js'
import { AlvariumError, expected } from '../../../foundation/base/errors.js'
import type { EcKey, OtherAlgorithm } from '../../../foundation/model/algorithm.js'
import { invalid } from '../fault.js'
import { withSigningBytes } from '../forms/key-bytes.js'
import type { KeyPair, SigningKeyInput } from '../key-pair.js'
import { assertDeepStack, secretBytes } from '../secret.js'
import { CURVES, type Curve } from './curves.js'
import { isEc, spkiOf } from './der.js'
import { ecKeyAt } from './public-key.js'

/** Position of the point in a key pair, which crate/algorithms/src/keys.rs writes as curve number, scalar and point. */
const POINT_AT = 33
const SIGNATURE_LENGTH = 64

/** An EC private key (RFC 5915). JavaScript stores it, because the WebAssembly module keeps no state between calls. */
export class EcSigningKey {
  readonly publicKey: Required<EcKey>
  readonly #pair: Uint8Array

  /** @param pair - the bytes of the key pair, which `free` wipes; the caller must not use them any more */
  constructor(pair: Uint8Array) {
    this.#pair = pair
    const curve = CURVES.find(({ number }) => number === pair[0]) as Curve
    this.publicKey = ecKeyAt(curve, pair.subarray(POINT_AT))
  }

  get algorithm(): OtherAlgorithm {
    return this.publicKey.algorithm
  }

  get keyId(): string {
    return this.publicKey.keyId
  }

  /** Returns the key in PKCS#8, which the caller wipes. @throws AlvariumError `CORE_FAILED` after a trap */
  toPkcs8(): Uint8Array<ArrayBuffer> {
    assertDeepStack()
    return withAlgorithms((algorithms) => algorithms.pkcs8Of(this.#pair)) as Uint8Array<ArrayBuffer>
  }

  /** Signs bytes, and returns r ‖ s, 64 bytes. Throws the errors of {@link signRecoverable}. */
  sign(bytes: Uint8Array): Uint8Array {
    return this.signRecoverable(bytes).slice(0, SIGNATURE_LENGTH)
  }

  /**
   * Signs bytes, and returns r ‖ s and the recovery id, 65 bytes.
   *
   * @throws AlvariumError `SIGNER_FAILED` when the key has been wiped, `CORE_FAILED` after a trap
   */
  signRecoverable(bytes: Uint8Array): Uint8Array {
    assertDeepStack()
    const entropy = randomFill(new Uint8Array(32))
    const signature = withAlgorithms((algorithms) => algorithms.sign(this.#pair, bytes, entropy))
    if (signature) return signature
    throw new AlvariumError('SIGNER_FAILED', WIPED_KEY)
  }

  free(): void {
    this.#pair.fill(0)
  }
}

/** Returns whether a private key begins like one of P-256, secp256k1 or SM2. The rest may be invalid. */
export function isEcKey(input: SigningKeyInput): boolean {
  return withSigningBytes(input, isEc)
}

export function openEc(input: SigningKeyInput): EcSigningKey {
  assertDeepStack()
  return withSigningBytes(input, readEc)
}

/** Reads an EC private key that is not in a text container. Throws the errors of {@link openEc}. */
export function readEc(bytes: Uint8Array): EcSigningKey {
  assertDeepStack()
  if (!isEc(bytes))
    throw invalid('signingKey', 'a key of P-256, secp256k1 or SM2', 'a key of another algorithm')
  return new EcSigningKey(readPair(bytes))
}

function readPair(bytes: Uint8Array): Uint8Array {
  const pair = withAlgorithms((algorithms) => algorithms.readKeyPair(bytes))
  if (pair[0] !== 0) return pair
  const got = new TextDecoder().decode(pair.subarray(1))
  throw invalid('signingKey', 'PKCS#8 or SEC 1 of a P-256, secp256k1 or SM2 key', got)
}

export const WIPED_KEY = 'signingKey: was wiped, and cannot sign any more'

/** Length of four random scalars, in bytes. The first scalar below n becomes the private key. */
const CANDIDATES = 4 * 32

/** Generates a key pair: PKCS#8 and SubjectPublicKeyInfo. */
export function generateEc(curve: Curve): KeyPair {
  assertDeepStack()
  const candidates = randomFill(secretBytes(CANDIDATES))
  const pair = withAlgorithms((algorithms) => algorithms.generatedKeyPair(curve.number, candidates))
  candidates.fill(0)
  if (!pair)
    throw expected('CORE_FAILED', 'random numbers', 'at least one of four to be a valid private key', 'none')
  try {
    const signingKey = withAlgorithms((algorithms) => algorithms.pkcs8Of(pair)) as Uint8Array
    const { keyId, point } = ecKeyAt(curve, pair.subarray(POINT_AT))
    return { signingKey, verifyingKey: spkiOf(curve, point), keyId }
  } finally {
    pair.fill(0)
  }
}
