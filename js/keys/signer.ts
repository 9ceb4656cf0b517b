import { copied } from '../base/bytes/join.js'
import { AlvariumError, assertBytes, describe, expected, isBytes, textOf } from '../base/errors.js'
import { TOO_LATE, within } from '../base/time/timeout.js'
import type { SigningKeyInput } from './key-pair.js'
import type { SignatureCheck } from './signature-check.js'
import type { VerifyingKeyInput } from './verifying.js'
import { exportPublicKey, type WebCryptoKey } from './web-crypto-key.js'

/**
 * A private key that lives elsewhere: in a key store, a hardware module, a remote service. It gets the
 * identity bytes of a bundle and returns their signature by the algorithm of its key: pure Ed25519, 64 bytes; ECDSA over
 * their SHA-256, or SM2 over their SM3, as r ‖ s or in DER, whichever s it has. What comes is checked before anything is
 * published, and written in the one encoding that FORMAT.md allows. It may be asked again before it has answered: where that
 * cannot be done at once, it has to see to the order itself.
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
  /** The public half, by which the signatures verify. */
  readonly verifyingKey: VerifyingKeyInput
  /** The signature over the identity bytes of one bundle, or of one batch; for `classic`, over what is signed of one annotation. */
  sign(identity: Uint8Array): Uint8Array | PromiseLike<Uint8Array>
}

/** A WebCrypto key pair for Ed25519, or ECDSA over P-256: `CryptoKeyPair`. The private key need not be extractable. */
export interface WebCryptoKeyPair {
  readonly privateKey: WebCryptoKey
  readonly publicKey: WebCryptoKey
}

/** Whether the key is in the core or elsewhere. */
export type SignerInput = SigningKeyInput | WebCryptoKeyPair | Signer

/** @internal Whether it is an external signer: no key for the core, but what signs in its place. */
export function isExternal(input: SignerInput): input is WebCryptoKeyPair | Signer {
  if (typeof input !== 'object' || input === null || isBytes(input)) return false
  return 'privateKey' in input || 'sign' in input
}

/**
 * @internal A signer outside the core, or undefined when the core itself is given the key.
 *
 * @throws AlvariumError `KEY_INVALID`
 */
export async function externalSigner(input: SignerInput): Promise<Signer | undefined> {
  if (!isExternal(input)) return undefined
  if ('privateKey' in input) return webCryptoSigner(input)
  if (typeof input.sign === 'function') return asRead(input)
  throw expected('KEY_INVALID', 'signingKey.sign', 'a function', describe(input.sign))
}

/** Its key as it is now: what is read once cannot be another one later. */
function asRead(signer: Signer): Signer {
  try {
    return { verifyingKey: signer.verifyingKey, sign: (identity) => signer.sign(identity) }
  } catch (cause) {
    const got = `an error: ${textOf(cause)}`
    throw expected('KEY_INVALID', 'signingKey.verifyingKey', 'a public key', got, cause)
  }
}

/** How WebCrypto is asked for a signature, by the name of the key's algorithm. */
const ASKED = { Ed25519: 'Ed25519', ECDSA: { name: 'ECDSA', hash: 'SHA-256' } } as const

/** Signs with WebCrypto, so that the private key need not be extractable. */
async function webCryptoSigner({ privateKey, publicKey }: WebCryptoKeyPair): Promise<Signer> {
  try {
    return { verifyingKey: await exportPublicKey(publicKey), sign: signsBy(privateKey) }
  } catch (cause) {
    const what = 'an Ed25519 or ECDSA P-256 CryptoKeyPair whose public key can be exported'
    throw expected('KEY_INVALID', 'signingKey', what, undefined, cause)
  }
}

/** Returns what signs by a private key of WebCrypto. */
export function signsBy(key: WebCryptoKey): Signer['sign'] {
  const algorithm = ASKED[key.algorithm.name as keyof typeof ASKED]
  return async (identity) =>
    new Uint8Array(await crypto.subtle.sign(algorithm, key as CryptoKey, identity as Uint8Array<ArrayBuffer>))
}

/** An external signer, and what tells whether it did sign. */
export interface External {
  readonly signer: Signer
  readonly check: SignatureCheck
  readonly timeoutMs: number
}

/**
 * @internal Has an external signer sign bytes, and checks what came back: a signature in its one encoding.
 * The signer gets a copy, which it may overwrite.
 *
 * @throws AlvariumError `SIGNER_FAILED`
 */
export async function signedExternally(
  { signer, check, timeoutMs }: External,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  try {
    const answer = await answerOf(signer, bytes.slice(), timeoutMs)
    const signature = check.accepted(bytes, answer)
    if (!signature) throw new Error('one that does not verify')
    return signature
  } catch (cause) {
    if (cause instanceof AlvariumError && cause.code === 'CORE_FAILED') throw cause
    const what = `a signature of ${check.expected} by its verifyingKey`
    throw expected('SIGNER_FAILED', 'signingKey.sign', what, undefined, cause)
  }
}

async function answerOf(signer: Signer, bytes: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
  const signature: unknown = await within(Promise.resolve(signer.sign(bytes)), timeoutMs)
  if (signature === TOO_LATE) throw new Error(`none within ${timeoutMs} ms`)
  assertBytes(signature, 'signature')
  // What is checked is what is published: the signer may use its array again.
  return copied(signature)
}
