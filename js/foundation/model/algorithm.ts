/** The signature algorithm of a key. A key id implies the algorithm, and the key verifies by no other. */
export type Algorithm = 'Ed25519' | OtherAlgorithm

/**
 * ECDSA with SHA-256 over P-256 (FIPS 186-5) or secp256k1 (SEC 2), or SM2 with SM3 (GB/T 32918.2, signer identity
 * `1234567812345678`). These algorithms are in a separate module, which is loaded when a key first needs it.
 */
export type OtherAlgorithm = 'P-256' | 'secp256k1' | 'SM2'

/** A public key of type EC (RFC 5480, id-ecPublicKey): every public key except those of Ed25519. */
export interface EcKey {
  readonly algorithm: OtherAlgorithm
  /** The number of the algorithm in crate/algorithms/src/algorithm.rs. */
  readonly number: number
  readonly keyId: string
  /** The public key, 65 bytes. If missing, it is recovered from each signature and compared by its key id. */
  readonly point?: Uint8Array
}
