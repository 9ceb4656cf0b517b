import { copyBytes } from '../../foundation/base/bytes/join.js'
import {
  AlvariumError,
  assertBytes,
  describe,
  expected,
  isBytes,
  textOf,
} from '../../foundation/base/errors.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import { exportPublicKey, type WebCryptoKey } from './forms/web-crypto-key.js'
import type { SigningKeyInput } from './key-pair.js'
import type { SignatureCheck } from './signature-check.js'
import type { VerifyingKeyInput } from './verifying.js'

/**
 * A private key outside of the library: in a key store, a hardware module or a remote service. It receives
 * the identity bytes of a bundle, and returns their signature by the key's algorithm. Ed25519 signs the bytes
 * directly and returns 64 bytes. ECDSA signs the SHA-256 of the bytes, and SM2 their SM3 hash; both return
 * r ‖ s or DER, with either of the two valid values of s. The signature is verified before anything is
 * published, and converted to the encoding that FORMAT.md permits. Calls can overlap: a signer that can
 * process only one call at a time must queue them itself.
 *
 * @example
 * ```ts
 * const kms = {
 *   verifyingKey: await client.publicKey('edge-7'),
 *   sign: (identity) => client.sign('edge-7', identity),
 * } satisfies Signer
 * ```
 */
export interface Signer {
  /** The public key that verifies the signatures. */
  readonly verifyingKey: VerifyingKeyInput
  /**
   * Signs the identity bytes of one bundle or batch; for `classic`, the signed bytes of one annotation. Also
   * signs checkpoints, leases and other statements, if you pass the signer for them.
   */
  sign(identity: Uint8Array): Uint8Array | PromiseLike<Uint8Array>
}

/** A WebCrypto `CryptoKeyPair` for Ed25519 or ECDSA over P-256. The private key need not be extractable. */
export interface WebCryptoKeyPair {
  readonly privateKey: WebCryptoKey
  readonly publicKey: WebCryptoKey
}

/** A private key for the core, or an external signer. */
export type SignerInput = SigningKeyInput | WebCryptoKeyPair | Signer

/** @internal Returns whether an input is an external signer, and not a private key for the core. */
export function isExternal(input: SignerInput): input is WebCryptoKeyPair | Signer {
  if (typeof input !== 'object' || input === null || isBytes(input)) return false
  return 'privateKey' in input || 'sign' in input
}

/** @internal Returns the external signer. Returns undefined if the input is a private key for the core. */
export async function externalSigner(input: SignerInput): Promise<Signer | undefined> {
  if (!isExternal(input)) return undefined
  if ('privateKey' in input) return webCryptoSigner(input)
  if (typeof input.sign === 'function') return copySigner(input)
  throw expected('KEY_INVALID', 'signingKey.sign', 'a function', describe(input.sign))
}

/** Copies a signer with its current public key, because a later read could return a different key. */
function copySigner(signer: Signer): Signer {
  try {
    return { verifyingKey: signer.verifyingKey, sign: (identity) => signer.sign(identity) }
  } catch (cause) {
    const got = `an error: ${textOf(cause)}`
    throw expected('KEY_INVALID', 'signingKey.verifyingKey', 'a public key', got, cause)
  }
}

const WEB_CRYPTO_ALGORITHMS = { Ed25519: 'Ed25519', ECDSA: { name: 'ECDSA', hash: 'SHA-256' } } as const

async function webCryptoSigner({ privateKey, publicKey }: WebCryptoKeyPair): Promise<Signer> {
  try {
    return { verifyingKey: await exportPublicKey(publicKey), sign: webCryptoSign(privateKey) }
  } catch (cause) {
    const expectation = 'an Ed25519 or ECDSA P-256 CryptoKeyPair whose public key can be exported'
    throw expected('KEY_INVALID', 'signingKey', expectation, undefined, cause)
  }
}

export function webCryptoSign(key: WebCryptoKey): Signer['sign'] {
  const algorithm = WEB_CRYPTO_ALGORITHMS[key.algorithm.name as keyof typeof WEB_CRYPTO_ALGORITHMS]
  return async (identity) =>
    new Uint8Array(await crypto.subtle.sign(algorithm, key as CryptoKey, identity as Uint8Array<ArrayBuffer>))
}

export interface ExternalKey {
  readonly signer: Signer
  readonly check: SignatureCheck
  readonly timeoutMs: number
}

/**
 * @internal Calls an external signer, verifies the signature, and returns it in its canonical encoding. The signer gets
 * a copy of the bytes, because it may overwrite them.
 *
 * @throws AlvariumError `SIGNER_FAILED`, or `CORE_FAILED` after a trap
 */
export async function signExternally(
  { signer, check, timeoutMs }: ExternalKey,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  try {
    const answer = await answerOf(signer, bytes.slice(), timeoutMs)
    const signature = check.canonicalIfValid(bytes, answer)
    if (!signature) throw new Error('one that does not verify')
    return signature
  } catch (cause) {
    if (cause instanceof AlvariumError && cause.code === 'CORE_FAILED') throw cause
    const expectation = `a signature of ${check.expected} by its verifyingKey`
    throw expected('SIGNER_FAILED', 'signingKey.sign', expectation, undefined, cause)
  }
}

async function answerOf(signer: Signer, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
  const signature: unknown = await within(Promise.resolve(signer.sign(bytes)), timeoutMs)
  if (signature === TOO_LATE) throw new Error(`none within ${timeoutMs} ms`)
  assertBytes(signature, 'signature')
  // Copy the signature, because the signer may reuse its array between the check and the publication.
  return copyBytes(signature)
}
