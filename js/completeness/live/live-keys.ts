import { KeyOwner } from '../key-owner.js'
import type { Who } from '../known-signer.js'

/** A key, and where its messages and checkpoints are remembered. */
interface LiveKey {
  /** Key id of the signer in whose name the key was first accepted: all of the key is remembered with that one, whichever lease accepts the rest. */
  readonly home: string
  readonly owner: KeyOwner
}

/** The keys of a subscription. Where there is no room, the one that was silent for longest gives way: later it counts for whichever issuer's lease accepts it first. */
export class LiveKeys {
  readonly #max: number
  /** Keys by key id, from the one that was silent for longest. */
  readonly #keys = new Map<string, LiveKey>()

  /** @param max - number of keys, about 300 bytes each */
  constructor(max: number) {
    this.#max = max
  }

  /**
   * Returns a key of which something came, and notes that it is the latest.
   *
   * @param who - signer in whose name that was accepted
   */
  note(keyId: string, who: Who): LiveKey {
    const known = this.#keys.get(keyId) ?? { home: who.signer, owner: new KeyOwner(keyId) }
    this.#keys.delete(keyId)
    this.#keys.set(keyId, known)
    if (this.#keys.size > this.#max) this.#keys.delete(this.#keys.keys().next().value as string)
    return known
  }

  /** Returns the signer for whom a key counts; undefined if the key gave way. */
  ownerOf(keyId: string): Who | undefined {
    return this.#keys.get(keyId)?.owner.signer
  }
}
