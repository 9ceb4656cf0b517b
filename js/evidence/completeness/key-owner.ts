import type { VerifiedBundle } from '../../verifying/verify/options.js'

/** Signer to which findings are attributed. */
export interface SignerName {
  readonly signer: string
  readonly name?: string | undefined
}

/** Returns the signer of a verified message. With a lease, that is its issuer, whichever key the lease permits. */
export function signerNameOf({ signer, signedBy }: Pick<VerifiedBundle, 'signer' | 'signedBy'>): SignerName {
  return { signer: signedBy?.id ?? signer, name: signedBy?.name }
}

/** Members of a verification result that name the signer. */
type Signature = Pick<VerifiedBundle, 'signer' | 'signedBy'>

/**
 * Owner of a key: the signer for whom the whole key counts (FORMAT.md, Verdict). A run belongs to one key. With leases
 * of several issuers, it counts for the issuer with the smallest key id.
 */
export class KeyOwner {
  readonly #keyId: string
  #byCheckpoints: SignerName | undefined
  #byMessages: SignerName | undefined

  constructor(keyId: string) {
    this.#keyId = keyId
  }

  addCheckpoint(checkpoint: Signature): void {
    this.#byCheckpoints = firstOf(this.#byCheckpoints, signerNameOf(checkpoint))
  }

  /** @param first - one bundle of the message */
  addMessage(first: Signature): void {
    this.#byMessages = firstOf(this.#byMessages, signerNameOf(first))
  }

  /** Owner of the key, by the checkpoints and messages that were added so far. */
  get signer(): SignerName {
    return this.#byCheckpoints ?? this.#byMessages ?? { signer: this.#keyId }
  }
}

function firstOf(one: SignerName | undefined, other: SignerName): SignerName {
  return one === undefined || other.signer < one.signer ? other : one
}
