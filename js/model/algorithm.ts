/** How a key signs. A key belongs to one algorithm, which its id names too, and verifies under no other. */
export type Algorithm = 'Ed25519' | OtherAlgorithm

/**
 * ECDSA with SHA-256 over P-256 (FIPS 186-5) or secp256k1 (SEC 2), or SM2 with SM3 (GB/T 32918.2, signer identity
 * `1234567812345678`). They take a module of their own, which is loaded when a key first needs it.
 */
export type OtherAlgorithm = 'P-256' | 'secp256k1' | 'SM2'

/** A public key of type EC (RFC 5480, id-ecPublicKey), as all are but those of Ed25519. */
export interface EcKey {
  readonly algorithm: OtherAlgorithm
  /** What crate/algorithms/src/algorithm.rs calls it. */
  readonly number: number
  readonly keyId: string
  /** The public key, 65 bytes; without it the key is recovered from each signature, and known by its id. */
  readonly point?: Uint8Array
}
