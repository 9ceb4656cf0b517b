import { toHex } from '../../foundation/base/bytes/hex.js'
import { messagesOf } from '../../foundation/base/bytes/join.js'
import { type AlvariumError, expected, ofSigner } from '../../foundation/base/errors.js'
import { withNoun } from '../../foundation/base/text/text.js'

/** Number of batch signatures that are remembered: bundles extracted from one batch share its signature. */
const MAX_REMEMBERED = 64
/** @internal Bytes of a signature, for every algorithm. */
export const SIGNATURE_LENGTH = 64
/** Bytes of the identity of a batch (FORMAT.md). Identities of bundles never have as many. */
const BATCH_IDENTITY_LENGTH = 27 + 4 + 32 + 4 + 32

/** Public keys that verify outside of the core: keys of other algorithms, or all keys by the platform. */
export interface OutsideKeys {
  readonly size: number
  has(keyId: string): boolean
  /**
   * Returns whether the key with this id made a signature of 64 bytes. @throws as `withAlgorithms` and `hostSignatures`
   * do
   *
   * @throws as `withAlgorithms` and `hostSignatures` do
   */
  verifies(keyId: string, bytes: Uint8Array, signature: Uint8Array): boolean
}

/** Verifier of messages that the core can read, but not verify. */
export class OutsideVerifier {
  readonly #keys: OutsideKeys
  readonly #coreKeys: number
  readonly #good = new Set<string>()

  /** @param known - number of keys in the core, for the number in error messages */
  constructor(keys: OutsideKeys, known: number) {
    this.#keys = keys
    this.#coreKeys = known
  }

  /** @throws AlvariumError `SIGNER_UNKNOWN` */
  assertKnown(keyId: string): void {
    if (this.knows(keyId)) return
    throw unknownSigner(keyId, this.#coreKeys + this.#keys.size)
  }

  /**
   * Verifies a message by one of the keys.
   *
   * @param claimed - result of the core's `claimed` for the message
   * @returns its bundles, in the form of the core's `verify`
   * @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, and as {@link OutsideKeys.verifies} does
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

  /** Returns whether the key with this id made a signature. Throws as {@link OutsideKeys.verifies} does. */
  verifies(keyId: string, bytes: Uint8Array, signature: Uint8Array): boolean {
    return this.#keys.verifies(keyId, bytes, signature)
  }

  /** @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, and as {@link OutsideKeys.verifies} does */
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

/** @internal Returns the core's error for a key id that none of so many keys has. */
export function unknownSigner(keyId: string, keys: number): AlvariumError {
  const what = `one in the keyring of ${withNoun(keys, 'key')}`
  return ofSigner(keyId, expected('SIGNER_UNKNOWN', 'signer', what, keyId))
}

/** @internal Returns the core's error for a signature that does not verify. */
export function invalidSignature(keyId: string): AlvariumError {
  const got = 'one that does not verify: something was altered'
  return ofSigner(
    keyId,
    expected('SIGNATURE_INVALID', 'signature', `one by ${keyId} over these contents`, got),
  )
}
