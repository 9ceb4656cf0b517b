import { toHex } from '../../foundation/base/bytes/hex.js'
import { assertBytes } from '../../foundation/base/errors.js'
import { type CoreObject, hold, type VerifyingKey, withCore } from '../../foundation/core/core.js'
import { ecKeyIn, ecVerifies } from './ec/public-key.js'
import type { Jwk } from './forms/jwk.js'
import { keyBytes } from './forms/key-bytes.js'
import type { Point } from './forms/raw.js'
import { hostVerifier, isByHost, type SignatureOptions } from './host-verifier.js'

/**
 * A public key in any usual form. For Ed25519: 32 bytes, their hexadecimal (the other SDKs' `public.key`),
 * SubjectPublicKeyInfo as DER or PEM, a JSON Web Key, a `did:key`, or a verifier key of signed notes. For P-256,
 * secp256k1 and SM2: SubjectPublicKeyInfo as DER or PEM, a JSON Web Key, the point with the algorithm's name, or a
 * `did:key` (except for SM2).
 */
export type VerifyingKeyInput = Uint8Array | string | Jwk | Point

/**
 * Returns whether a key made a signature of 64 bytes over `bytes`, by the strict rules of `verify_strict` in
 * ed25519-dalek: small-order points and non-canonical encodings are refused. Signatures of ECDSA and SM2 are r ‖ s, and
 * only the lower s is valid for ECDSA. For these two, `await loadAlgorithms()` first.
 *
 * @throws AlvariumError `KEY_INVALID`; with a key of another algorithm than Ed25519 also `CORE_UNAVAILABLE` and
 * `CORE_FAILED`; with engine `host` `CONFIG_INVALID` in browsers and with a key of secp256k1 or SM2, and
 * `CORE_UNAVAILABLE` where the platform cannot verify
 *
 * @example
 * ```ts
 * verifyBytes(verifyingKey, bytes, signBytes(signingKey, bytes)) // true
 * ```
 */
export function verifyBytes(
  verifyingKey: VerifyingKeyInput,
  bytes: Uint8Array,
  signature: Uint8Array,
  options: SignatureOptions = {},
): boolean {
  assertSignable(bytes)
  assertBytes(signature, 'signature')
  const key = keyBytes(verifyingKey, 'verifyingKey')
  const other = ecKeyIn(key)
  if (isByHost(options, 'verifyBytes')) return hostVerifier(other ?? publicBytes(key))(bytes, signature)
  if (other) return ecVerifies(other, bytes, signature)
  return signature.length === 64 && withPublicKey(key, (publicKey) => publicKey.verifies(bytes, signature))
}

/**
 * Computes the key id of a public key: the first 16 bytes of a SHA-256, as 32 lower-case hexadecimal digits (FORMAT.md,
 * Keys and key ids).
 *
 * @throws AlvariumError `KEY_INVALID` for an invalid key
 *
 * @example
 * ```ts
 * const { signer } = await verifyMessage(message, { keyring: [verifyingKey] })
 * signer === keyIdOf(verifyingKey) // true
 * ```
 */
export function keyIdOf(verifyingKey: VerifyingKeyInput): string {
  const bytes = keyBytes(verifyingKey, 'verifyingKey')
  return ecKeyIn(bytes)?.keyId ?? withPublicKey(bytes, (key) => key.id())
}

/** @internal A public Ed25519 key: its 32 bytes and its key id. */
export interface PublicKey {
  readonly bytes: Uint8Array
  readonly keyId: string
}

/** The public key that was read last. A lease needs it several times, and reading takes longer than verifying. */
let last: { readonly digits: string; readonly key: CoreObject<VerifyingKey> } | undefined

/** @internal Reads an Ed25519 public key, and calls a function with it. */
export function withPublicKey<T>(bytes: Uint8Array, use: (key: VerifyingKey) => T): T {
  const digits = toHex(bytes)
  if (last?.digits !== digits || last.key.isLost) {
    last?.key.release()
    last = undefined
    last = { digits, key: hold((core) => core.VerifyingKey.read(bytes)) }
  }
  const { object } = last.key
  return withCore(() => use(object))
}

function publicBytes(key: Uint8Array): Uint8Array {
  return withPublicKey(key, (publicKey) => publicKey.toBytes())
}

const MAX_SIGNABLE_BYTES = 16 * 1024 * 1024

export function assertSignable(bytes: Uint8Array): void {
  assertBytes(bytes, 'bytes')
  if (bytes.length > MAX_SIGNABLE_BYTES) {
    throw new RangeError(`bytes: expected at most ${MAX_SIGNABLE_BYTES} bytes, got ${bytes.length}`)
  }
}
