import { loadAlgorithms } from '../../foundation/algorithms/load-algorithms.js'
import { randomFill } from '../../foundation/base/bytes/random.js'
import { AlvariumError } from '../../foundation/base/errors.js'
import { assertNames } from '../../foundation/base/options/names.js'
import { type CoreObject, type SigningKey, withCore } from '../../foundation/core/core.js'
import type { Algorithm, OtherAlgorithm } from '../../foundation/model/algorithm.js'
import { openSigningKey, publicHalf, wipeStack } from './core-key.js'
import { ecVerifies } from './ec/public-key.js'
import { type EcSigningKey, generateEc, isEcKey, openEc } from './ec/signing-key.js'
import { withSigningBytes } from './forms/key-bytes.js'
import { curveNamed } from './forms/raw.js'
import type { Seed } from './forms/seed.js'
import { openHostKey } from './host-signing.js'
import { hostVerifier, isByHost, type SignatureOptions } from './host-verifier.js'
import type { KeyPair, SigningKeyInput } from './key-pair.js'
import { secretBytes } from './secret.js'
import { assertSignable } from './verifying.js'

export type { KeyPair, SigningKeyInput } from './key-pair.js'

/** Options of `generateKey`: the algorithm of the key. */
export interface GenerateKeyOptions<Kind extends Algorithm = Algorithm> {
  readonly algorithm: Kind
}

/**
 * Generates a key from the platform's cryptographic random numbers: an Ed25519 key synchronously, a key of another
 * algorithm after its module has been loaded.
 *
 * @throws AlvariumError `KEY_INVALID` for an unknown algorithm, `CONFIG_INVALID` for an option that does not exist, and
 * the errors of `loadAlgorithms`
 *
 * @example
 * ```ts
 * const key = generateKey()
 * await writeFile('private.key', toHex(key.signingKey), { mode: 0o600 })
 * await writeFile('public.key', toHex(key.verifyingKey))
 * ```
 *
 * @example
 * ```ts
 * const { signingKey, verifyingKey } = await generateKey({ algorithm: 'P-256' }) // PKCS#8 and SubjectPublicKeyInfo
 * ```
 */
export function generateKey(options: GenerateKeyOptions<OtherAlgorithm>): Promise<KeyPair>
export function generateKey(options?: GenerateKeyOptions<'Ed25519'>): KeyPair
export function generateKey(
  options: GenerateKeyOptions = { algorithm: 'Ed25519' },
): KeyPair | Promise<KeyPair> {
  assertNames(options, ['algorithm'], 'generateKey.')
  const { algorithm } = options
  if (algorithm !== 'Ed25519') {
    const curve = curveNamed(algorithm, 'generateKey')
    return loadAlgorithms().then(() => generateEc(curve))
  }
  const seed = randomFill(secretBytes(32))
  try {
    return keyPairOf({ seed })
  } finally {
    seed.fill(0)
  }
}

/** @internal Returns the key pair of a seed. @throws AlvariumError `KEY_INVALID` for an invalid seed */
export function keyPairOf(input: Seed): KeyPair {
  return withSigningBytes(input, (pkcs8) => {
    const { bytes: verifyingKey, keyId } = withSigningKey(pkcs8, ({ object }) => publicHalf(object))
    const signingKey = secretBytes(64)
    signingKey.set(pkcs8.subarray(-32))
    signingKey.set(verifyingKey, 32)
    return { signingKey, verifyingKey, keyId }
  })
}

/**
 * Signs bytes, for example the text `seed` that the annotator `pki` verifies. Uses pure Ed25519 (RFC 8032). With a key
 * of another algorithm, `await loadAlgorithms()` first. The signature is verified before it is returned: if a fault of
 * the machine damages one of two signatures over the same bytes, both together can reveal the key.
 *
 * @param bytes - at most 16 MiB; hash longer input and sign the digest
 * @returns 64 bytes
 * @throws AlvariumError `KEY_INVALID`, and `SIGNER_FAILED` for a signature that does not verify; with a key of another
 * algorithm than Ed25519 also `CORE_UNAVAILABLE` and `CORE_FAILED`; with engine `host` `CONFIG_INVALID` in browsers and
 * with a key of secp256k1 or SM2, and `CORE_UNAVAILABLE` where the platform cannot sign
 * @throws TypeError, RangeError for `bytes` of another type or over 16 MiB
 *
 * @example
 * ```ts
 * const seed = new TextEncoder().encode('reading 7')
 * const signature = toHex(signBytes(signingKey, seed)) // 128 digits
 * ```
 */
export function signBytes(
  signingKey: SigningKeyInput,
  bytes: Uint8Array,
  options: SignatureOptions = {},
): Uint8Array {
  assertSignable(bytes)
  if (isByHost(options, 'signBytes')) return signedByHost(signingKey, bytes)
  if (!isEcKey(signingKey)) return withSigningKey(signingKey, (key) => signWithEd25519(key, bytes))
  const key = openEc(signingKey)
  try {
    return signWithEc(key, bytes)
  } finally {
    key.free()
  }
}

/** @internal Signs with an open Ed25519 key. Throws the errors of {@link signBytes}. */
export function signWithEd25519({ object }: CoreObject<SigningKey>, bytes: Uint8Array): Uint8Array {
  assertSignable(bytes)
  return assertVerifies(withCore(() => object.signChecked(bytes)))
}

/** @internal Signs with an open EC key. Throws the errors of {@link signBytes}. */
export function signWithEc(key: EcSigningKey, bytes: Uint8Array): Uint8Array {
  assertSignable(bytes)
  const signature = key.sign(bytes)
  return assertVerifies(ecVerifies(key.publicKey, bytes, signature) ? signature : undefined)
}

function signedByHost(signingKey: SigningKeyInput, bytes: Uint8Array): Uint8Array {
  const key = openHostKey(signingKey)
  try {
    const signature = key.sign(bytes)
    return assertVerifies(hostVerifier(key.publicKey)(bytes, signature) ? signature : undefined)
  } finally {
    key.free()
  }
}

function assertVerifies(signature: Uint8Array | undefined): Uint8Array {
  if (signature) return signature
  throw new AlvariumError(
    'SIGNER_FAILED',
    'signature: does not verify with the public key of the signing key',
  )
}

function withSigningKey<T>(input: SigningKeyInput, use: (key: CoreObject<SigningKey>) => T): T {
  const key = openSigningKey(input)
  try {
    return use(key)
  } finally {
    key.release()
    wipeStack()
  }
}
