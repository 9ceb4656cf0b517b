import type { Jwk } from './forms/jwk.js'
import type { Scalar } from './forms/raw.js'
import type { Seed } from './forms/seed.js'

/**
 * A private key in any usual form that marks it as private. An Ed25519 key is one of:
 * - bytes: seed ‖ public key (64), PKCS#8 DER, or the contents of a key file
 * - text: hexadecimal of seed ‖ public key (the `private.key` of the SDKs in Go, Java and Python), or PKCS#8 in PEM
 * - a JSON Web Key of type OKP with `d` (RFC 8037)
 * - `{ seed }`: only the seed, which looks like a public key, as 32 bytes or in hexadecimal (the Rust SDK's)
 *
 * A key of P-256, secp256k1 or SM2 is PKCS#8 or SEC 1 (`EC PRIVATE KEY`, `SM2 PRIVATE KEY`) as DER or PEM, a JSON Web
 * Key of type EC with `d`, or `{ algorithm, scalar }`.
 *
 * @example
 * ```ts
 * signBytes(await readKey('private.key'), bytes)
 * signBytes({ seed: digits }, bytes) // 64 of them, hexadecimal
 * ```
 */
export type SigningKeyInput = Uint8Array | string | Jwk | Seed | Scalar

/** A new key pair. Wipe `signingKey` with `fill(0)` after you have stored it or passed it on. */
export interface KeyPair {
  /** The private key. For Ed25519: seed ‖ public key, 64 bytes (other SDKs: hexadecimal `private.key`). Else PKCS#8. */
  readonly signingKey: Uint8Array
  /** The public key. For Ed25519: 32 bytes (other SDKs: hexadecimal `public.key`). Else SubjectPublicKeyInfo. */
  readonly verifyingKey: Uint8Array
  /** Id of the key in messages: 32 lower-case hexadecimal digits. */
  readonly keyId: string
}
