import { KeyOwner } from '../key-owner.js'
import type { SignerName } from '../known-signer.js'

/** A key, and the signer that stores its messages and checkpoints. */
interface LiveKey {
  /**
   * Key id of the signer in whose name the key was first accepted. The whole key is stored with that signer, whichever
   * lease accepts the rest.
   */
  readonly home: string
  readonly owner: KeyOwner
}

/** Keys of a subscription, as an LRU cache. A forgotten key counts later for the issuer whose lease accepts it first. */
export class LiveKeys {
  readonly #max: number
  /** Keys by key id, the least recently used first. */
  readonly #keys = new Map<string, LiveKey>()

  /** @param max - largest number of keys, about 300 bytes each */
  constructor(max: number) {
    this.#max = max
  }

  /**
   * Returns the key of a received message or checkpoint, and marks it as the most recent.
   *
   * @param who - the signer in whose name the message or checkpoint was accepted
   */
  note(keyId: string, who: SignerName): LiveKey {
    const known = this.#keys.get(keyId) ?? { home: who.signer, owner: new KeyOwner(keyId) }
    this.#keys.delete(keyId)
    this.#keys.set(keyId, known)
    if (this.#keys.size > this.#max) this.#keys.delete(this.#keys.keys().next().value as string)
    return known
  }

  /** Returns the signer for whom a key counts; undefined if the key was forgotten. */
  ownerOf(keyId: string): SignerName | undefined {
    return this.#keys.get(keyId)?.owner.signer
  }
}
