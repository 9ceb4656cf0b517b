import { toHex } from '../base/bytes/hex.js'
import { messagesOf } from '../base/bytes/join.js'
import { type AlvariumError, expected, ofSigner } from '../base/errors.js'
import { withNoun } from '../base/text/text.js'
import type { EcKey } from '../model/algorithm.js'
import { ecVerifies } from './ec-public.js'
import { recoveredWithId } from './recovery.js'

/** How many signatures of batches are remembered: the bundles taken out of one share it. */
const REMEMBERED = 64
/** @internal Of every algorithm. */
export const SIGNATURE_LENGTH = 64
/** The identity bytes of a batch (FORMAT.md) are as long; those of a bundle never. */
const BATCH_IDENTITY_LENGTH = 27 + 4 + 32 + 4 + 32

/** Verifies what the core has read, and cannot verify: ECDSA and SM2 signatures, by EC keys. */
export class EcVerifier {
  readonly #keys: Map<string, EcKey>
  readonly #known: number
  readonly #good = new Set<string>()

  /** @param known - how many keys the core has, to tell how many there are */
  constructor(keys: Iterable<EcKey>, known: number) {
    this.#keys = new Map(Array.from(keys, (key) => [key.keyId, key]))
    this.#known = known
  }

  /** @throws AlvariumError `SIGNER_UNKNOWN` */
  assertKnown(keyId: string): void {
    this.#keyOf(keyId)
  }

  /**
   * @param claimed - what the core's `claimed` says of a message
   * @returns its bundles, as the core's `verify` has them
   * @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, and as `withAlgorithms` does
   */
  verified(claimed: Uint8Array): string {
    const [identity, signed, bundles] = messagesOf(claimed) as [Uint8Array, Uint8Array, Uint8Array]
    const signature = signed.subarray(0, SIGNATURE_LENGTH)
    const decoder = new TextDecoder()
    this.check(decoder.decode(signed.subarray(SIGNATURE_LENGTH)), identity, signature)
    return decoder.decode(bundles)
  }

  #keyOf(keyId: string): EcKey {
    const key = this.#keys.get(keyId)
    if (key) return key
    const held = this.#known + this.#keys.size
    throw ofSigner(
      keyId,
      expected('SIGNER_UNKNOWN', 'signer', `one in the keyring of ${withNoun(held, 'key')}`, keyId),
    )
  }

  /** Whether it is one of its keys. */
  knows(keyId: string): boolean {
    return this.#keys.has(keyId)
  }

  /** @throws AlvariumError `SIGNER_UNKNOWN`, `SIGNATURE_INVALID`, and as `withAlgorithms` does */
  check(keyId: string, identity: Uint8Array, signature: Uint8Array): void {
    const key = this.#keyOf(keyId)
    const name = identity.length === BATCH_IDENTITY_LENGTH ? toHex(identity) + toHex(signature) : undefined
    if (name !== undefined && this.#good.has(name)) return
    if (!this.#verifies(key, identity, signature)) throw unverified(keyId)
    if (name !== undefined) this.#remember(name)
  }

  #verifies(key: EcKey, identity: Uint8Array, signature: Uint8Array): boolean {
    const { point } = key
    if (point) return ecVerifies({ ...key, point }, identity, signature)
    const recovered = recoveredWithId(key.keyId, identity, signature)
    // From now on there is nothing to recover.
    if (recovered) this.#keys.set(key.keyId, recovered)
    return recovered !== undefined
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
