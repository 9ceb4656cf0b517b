import { toHex } from '../base/bytes/hex.js'
import { messagesOf } from '../base/bytes/join.js'
import { type AlvariumError, expected, ofSigner } from '../base/errors.js'
import { withNoun } from '../base/text/text.js'

/** How many signatures of batches are remembered: the bundles taken out of one share it. */
const REMEMBERED = 64
/** @internal Of every algorithm. */
export const SIGNATURE_LENGTH = 64
/** The identity bytes of a batch (FORMAT.md) are as long; those of a bundle never. */
const BATCH_IDENTITY_LENGTH = 27 + 4 + 32 + 4 + 32

/** Public keys that verify outside the core: those of other algorithms, or all keys by the platform. */
export interface OutsideKeys {
  readonly size: number
  has(keyId: string): boolean
  /** Returns whether a signature of 64 bytes is by the key with this id. @throws as `withAlgorithms` and `hostSignatures` do */
  verifies(keyId: string, bytes: Uint8Array, signature: Uint8Array): boolean
}

/** Verifies the signatures of messages that the core has read, and cannot verify. */
export class OutsideVerifier {
  readonly #keys: OutsideKeys
  readonly #known: number
  readonly #good = new Set<string>()

  /** @param known - how many keys the core has, to tell how many there are */
  constructor(keys: OutsideKeys, known: number) {
    this.#keys = keys
    this.#known = known
  }

  /** @throws AlvariumError `SIGNER_UNKNOWN` */
  assertKnown(keyId: string): void {
    if (this.knows(keyId)) return
    const held = this.#known + this.#keys.size
    throw ofSigner(
      keyId,
      expected('SIGNER_UNKNOWN', 'signer', `one in the keyring of ${withNoun(held, 'key')}`, keyId),
    )
  }

  /**
   * @param claimed - what the core's `claimed` says of a message
   * @returns its bundles, as the core's `verify` has them
   * @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, and as {@link OutsideKeys.verifies} does
   */
  verified(claimed: Uint8Array): string {
    const [identity, signed, bundles] = messagesOf(claimed) as [Uint8Array, Uint8Array, Uint8Array]
    const signature = signed.subarray(0, SIGNATURE_LENGTH)
    const decoder = new TextDecoder()
    this.check(decoder.decode(signed.subarray(SIGNATURE_LENGTH)), identity, signature)
    return decoder.decode(bundles)
  }

  /** Returns whether it is one of its keys. */
  knows(keyId: string): boolean {
    return this.#keys.has(keyId)
  }

  /** Returns whether a signature is by one of its keys. Throws as {@link OutsideKeys.verifies} does. */
  verifies(keyId: string, bytes: Uint8Array, signature: Uint8Array): boolean {
    return this.#keys.verifies(keyId, bytes, signature)
  }

  /** @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, and as {@link OutsideKeys.verifies} does */
  check(keyId: string, identity: Uint8Array, signature: Uint8Array): void {
    this.assertKnown(keyId)
    const name =
      identity.length === BATCH_IDENTITY_LENGTH ? keyId + toHex(identity) + toHex(signature) : undefined
    if (name !== undefined && this.#good.has(name)) return
    if (!this.#keys.verifies(keyId, identity, signature)) throw unverified(keyId)
    if (name !== undefined) this.#remember(name)
  }

  #remember(name: string): void {
    const [oldest] = this.#good
    if (this.#good.size === REMEMBERED && oldest !== undefined) this.#good.delete(oldest)
    this.#good.add(name)
  }
}

/** @internal As the core has it. */
export function unverified(keyId: string): AlvariumError {
  const got = 'one that does not verify: something was altered'
  return ofSigner(
    keyId,
    expected('SIGNATURE_INVALID', 'signature', `one by ${keyId} over these contents`, got),
  )
}
