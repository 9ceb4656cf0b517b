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

/** Public keys that the core cannot verify: keys of other algorithms, or all keys if the platform verifies. */
export interface OutsideKeys {
  readonly size: number
  has(keyId: string): boolean
  /**
   * Returns whether the key with this id made a signature of 64 bytes.
   *
   * @throws the errors of `withAlgorithms` and `hostSignatures`
   */
  verifies(keyId: string, bytes: Uint8Array, signature: Uint8Array): boolean
}

/** Verifier of messages that the core can read, but cannot verify. */
export class OutsideVerifier {
  readonly #keys: OutsideKeys
  readonly #coreKeys: number
  readonly #good = new Set<string>()

  /** @param known - number of keys in the core, which error messages add to the number of `keys` */
  constructor(keys: OutsideKeys, known: number) {
    this.#keys = keys
    this.#coreKeys = known
  }

  /** Asserts that one of the keys has this id. @throws AlvariumError `SIGNER_UNKNOWN` */
  assertKnown(keyId: string): void {
    if (this.knows(keyId)) return
    throw unknownSigner(keyId, this.#coreKeys + this.#keys.size)
  }

  /**
   * Verifies a message by the key that it names.
   *
   * @param claimed - result of the core's `claimed` for the message
   * @returns the bundles, in the form of the core's `verify`
   * @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, and the errors of {@link OutsideKeys.verifies}
   */
  verify(claimed: Uint8Array): string {
    const [identity, signed, bundles] = messagesOf(claimed) as [Uint8Array, Uint8Array, Uint8Array]
    const signature = signed.subarray(0, SIGNATURE_LENGTH)
    const decoder = new TextDecoder()
    this.check(decoder.decode(signed.subarray(SIGNATURE_LENGTH)), identity, signature)
    return decoder.decode(bundles)
  }

  knows(keyId: string): boolean {
    return this.#keys.has(keyId)
  }

  /** Returns whether the key with this id made a signature. Throws the errors of {@link OutsideKeys.verifies}. */
  verifies(keyId: string, bytes: Uint8Array, signature: Uint8Array): boolean {
    return this.#keys.verifies(keyId, bytes, signature)
  }

  /** Verifies a signature. @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`; the errors of `verifies` */
  check(keyId: string, identity: Uint8Array, signature: Uint8Array): void {
    this.assertKnown(keyId)
    const name =
      identity.length === BATCH_IDENTITY_LENGTH ? keyId + toHex(identity) + toHex(signature) : undefined
    if (name !== undefined && this.#good.has(name)) return
    if (!this.#keys.verifies(keyId, identity, signature)) throw invalidSignature(keyId)
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
