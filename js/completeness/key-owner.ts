import type { VerifiedBundle } from '../verify/options.js'
import { type Who, whoOf } from './known-signer.js'

/** Result of a verification, as far as it says in whose name a key signed. */
type Signature = Pick<VerifiedBundle, 'signer' | 'signedBy'>

/**
 * Signer for whom all of a key counts (FORMAT.md, Verdict). A run belongs to its key: with leases of several issuers, all of it counts for the one whose
 * key id is the first in order.
 */
export class KeyOwner {
  readonly #keyId: string
  #byCheckpoints: Who | undefined
  #byMessages: Who | undefined

  constructor(keyId: string) {
    this.#keyId = keyId
  }

  addCheckpoint(checkpoint: Signature): void {
    this.#byCheckpoints = firstOf(this.#byCheckpoints, whoOf(checkpoint))
  }

  /** @param first - one bundle of the message */
  addMessage(first: Signature): void {
    this.#byMessages = firstOf(this.#byMessages, whoOf(first))
  }

  /** The owner, by all that was added until now. */
  get signer(): Who {
    return this.#byCheckpoints ?? this.#byMessages ?? { signer: this.#keyId }
  }
}

function firstOf(one: Who | undefined, other: Who): Who {
  return one === undefined || other.signer < one.signer ? other : one
}
