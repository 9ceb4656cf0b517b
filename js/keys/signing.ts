import { AlvariumError } from '../base/errors.js'
import { borrow, type Held, hold, type SigningKey, withCore } from '../core/core.js'
import { type Jwk, keyBytes } from './forms.js'
import { assertSignable } from './signable.js'
import type { PublicKey } from './verifying.js'

/**
 * A private Ed25519 key in any usual form:
 * - bytes: a seed (32), seed ‖ public key (64), PKCS#8 DER, or the contents of any key file
 * - text: hexadecimal of the first two (the other SDKs' `private.key`), or PKCS#8 in PEM
 * - a JSON Web Key of type OKP with `d` (RFC 8037)
 */
export type SigningKeyInput = Uint8Array | string | Jwk

/** A fresh key pair. Wipe `signingKey` with `fill(0)` when it is stored or in use. */
export interface KeyPair {
  /** Seed and public key, 64 bytes; in hexadecimal, the `private.key` of the other SDKs. */
  readonly signingKey: Uint8Array
  /** The public key, 32 bytes; in hexadecimal, the `public.key` of the other SDKs. */
  readonly verifyingKey: Uint8Array
  /** Names the key in messages: 32 hexadecimal digits. */
  readonly keyId: string
}

/**
 * Makes a new Ed25519 key from the platform's cryptographic random numbers.
 *
 * @example
 * ```ts
 * const key = generateKey()
 * await writeFile('private.key', toHex(key.signingKey), { mode: 0o600 })
 * await writeFile('public.key', toHex(key.verifyingKey))
 * ```
 */
export function generateKey(): KeyPair {
  const signingKey = new Uint8Array(64)
  crypto.getRandomValues(signingKey.subarray(0, 32))
  return withSigningKey(signingKey.subarray(0, 32), (key) => {
    const { bytes: verifyingKey, keyId } = publicHalf(key)
    signingKey.set(verifyingKey, 32)
    return { signingKey, verifyingKey, keyId }
  })
}

/**
 * Signs bytes with pure Ed25519 (RFC 8032), for example the seed of a payload for the `pki` annotator. The signature is
 * verified before it is given out: of two over the same bytes, one spoilt by a fault of the machine can tell the key.
 *
 * @param bytes - at most 16 MiB; hash what is longer and sign the digest
 * @returns 64 bytes
 * @throws AlvariumError `KEY_INVALID`, and `SIGNER_FAILED` for a signature that does not verify
 * @throws TypeError, RangeError for other `bytes`
 */
export function signBytes(signingKey: SigningKeyInput, bytes: Uint8Array): Uint8Array {
  assertSignable(bytes)
  const signature = withSigningKey(signingKey, (key) => key.signChecked(bytes))
  if (signature) return signature
  throw new AlvariumError('SIGNER_FAILED', 'signature: expected one that verifies, got one that does not')
}

/** @internal The public half of a private key. */
export function publicHalf(key: SigningKey): PublicKey {
  return borrow(
    () => key.verifyingKey(),
    (half) => ({ bytes: half.toBytes(), keyId: half.id() }),
  )
}

/**
 * @internal Hands a private key to the core, which wipes it when it is released; then `wipe` what is left of
 * it on the stack.
 */
export function openSigningKey(input: SigningKeyInput): Held<SigningKey> {
  const bytes = keyBytes(input, 'signingKey')
  try {
    return hold((core) => core.SigningKey.read(bytes))
  } finally {
    if (bytes !== input) bytes.fill(0)
    wipeStack()
  }
}

/** @internal Overwrites what calls that had to do with a private key have left on the core's stack. */
export function wipeStack(): void {
  withCore((core) => core.wipeStack())
}

function withSigningKey<T>(input: SigningKeyInput, use: (key: SigningKey) => T): T {
  const key = openSigningKey(input)
  try {
    return withCore(() => use(key.object))
  } finally {
    key.release()
    wipeStack()
  }
}
