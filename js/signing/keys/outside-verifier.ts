import { toHex } from '../../foundation/base/bytes/hex.js'
import { messagesOf } from '../../foundation/base/bytes/join.js'
import { type AlvariumError, expected, ofSigner } from '../../foundation/base/errors.js'
import { withNoun } from '../../foundation/base/text/text.js'

/** Maximum number of cached batch signatures. Bundles from one batch share a signature, which is verified once. */
const MAX_REMEMBERED = 64
/** @internal Length of a signature in bytes, the same for every algorithm. */
export const SIGNATURE_LENGTH = 64
/**
 * Length of a batch's identity bytes (FORMAT.md, batch/1): name of the format, length of the signer,
 * signer, number of bundles, and root. Identity bytes of a bundle never have this length.
 */
const BATCH_IDENTITY_LENGTH = 27 + 4 + 32 + 4 + 32

/** Unverified claims of a message, or of a part of one, as the core reads them. */
export interface Claims {
  /** Bytes that the signature must cover (FORMAT.md, Identity bytes). For a part: leaves of the Merkle tree. */
  readonly identity: Uint8Array
  readonly signer: string
  readonly signature: Uint8Array
  /** JSON of the bundles. */
  readonly bundles: Uint8Array
}

const decoder = new TextDecoder()

/** @internal Reads the result of the core's `claimed`. */
export function claimsIn(claimed: Uint8Array): Claims {
  const [identity, signed, bundles] = messagesOf(claimed) as [Uint8Array, Uint8Array, Uint8Array]
  const signer = decoder.decode(signed.subarray(SIGNATURE_LENGTH))
  return { identity, signer, signature: signed.subarray(0, SIGNATURE_LENGTH), bundles }
}

/** Returns whether the key with this id made a signature of 64 bytes. */
export type VerifyById = (keyId: string, bytes: Uint8Array, signature: Uint8Array) => boolean

/**
 * Verifier of messages that the core can read, but cannot verify: with keys of other algorithms, or with all keys if
 * the platform verifies.
 */
export class OutsideVerifier {
  readonly #keys: ReadonlyMap<string, unknown>
  readonly #coreKeys: number
  readonly #good = new Set<string>()
  readonly verifies: VerifyById

  /** @param coreKeys - number of keys in the core, which error messages add to the number of `keys` */
  constructor(keys: ReadonlyMap<string, unknown>, verifies: VerifyById, coreKeys: number) {
    this.#keys = keys
    this.verifies = verifies
    this.#coreKeys = coreKeys
  }

  assertKnown(keyId: string): void {
    if (this.knows(keyId)) return
    throw unknownSigner(keyId, this.#coreKeys + this.#keys.size)
  }

  knows(keyId: string): boolean {
    return this.#keys.has(keyId)
  }

  /** Verifies a signature. @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`; the errors of `verifies` */
  check(keyId: string, identity: Uint8Array, signature: Uint8Array): void {
    this.assertKnown(keyId)
    const name =
      identity.length === BATCH_IDENTITY_LENGTH ? keyId + toHex(identity) + toHex(signature) : undefined
    if (name !== undefined && this.#good.has(name)) return
    if (!this.verifies(keyId, identity, signature)) throw invalidSignature(keyId)
    if (name !== undefined) this.#remember(name)
  }

  #remember(name: string): void {
    const [oldest] = this.#good
    if (this.#good.size === MAX_REMEMBERED && oldest !== undefined) this.#good.delete(oldest)
    this.#good.add(name)
  }
}

/** @internal Creates the core's error `SIGNER_UNKNOWN`, with the same text. `keys` is the number of trusted keys. */
export function unknownSigner(keyId: string, keys: number): AlvariumError {
  const expectation = `one in the keyring of ${withNoun(keys, 'key')}`
  return ofSigner(keyId, expected('SIGNER_UNKNOWN', 'signer', expectation, keyId))
}

/** @internal Creates the core's error `SIGNATURE_INVALID`, with the same text. */
export function invalidSignature(keyId: string): AlvariumError {
  const got = 'one that does not verify: something was altered'
  return ofSigner(
    keyId,
    expected('SIGNATURE_INVALID', 'signature', `one by ${keyId} over these contents`, got),
  )
}
