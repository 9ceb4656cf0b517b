import { assertBytes } from '../base/errors.js'
import { borrow, type VerifyingKey } from '../core/core.js'
import { keyBytes } from './forms.js'
import type { Jwk } from './jwk.js'
import { assertSignable } from './signable.js'

/**
 * A public Ed25519 key in any usual form: 32 bytes, their hexadecimal (the other SDKs' `public.key`),
 * SubjectPublicKeyInfo as DER or PEM, or a JSON Web Key.
 */
export type VerifyingKeyInput = Uint8Array | string | Jwk

/**
 * Whether a signature of 64 bytes is the key's over these bytes, by the strict rules of `verify_strict` in
 * ed25519-dalek: small-order points and non-canonical encodings are refused.
 *
 * @throws AlvariumError `KEY_INVALID`
 */
export function verifyBytes(
  verifyingKey: VerifyingKeyInput,
  bytes: Uint8Array,
  signature: Uint8Array,
): boolean {
  assertSignable(bytes)
  assertBytes(signature, 'signature')
  return signature.length === 64 && withVerifyingKey(verifyingKey, (key) => key.verifies(bytes, signature))
}

/** The key id of a public key: the first 16 bytes of its SHA-256 as 32 hexadecimal digits. */
export function keyIdOf(verifyingKey: VerifyingKeyInput): string {
  return readVerifyingKey(verifyingKey).keyId
}

/** @internal A public key read once: its 32 bytes and its id. */
export interface PublicKey {
  readonly bytes: Uint8Array
  readonly keyId: string
}

/** @internal @throws AlvariumError `KEY_INVALID` */
export function readVerifyingKey(input: VerifyingKeyInput): PublicKey {
  return withVerifyingKey(input, (key) => ({ bytes: key.toBytes(), keyId: key.id() }))
}

/** @internal */
export function withVerifyingKey<T>(input: VerifyingKeyInput, use: (key: VerifyingKey) => T): T {
  const bytes = keyBytes(input, 'verifyingKey')
  return borrow((core) => core.VerifyingKey.read(bytes), use)
}
