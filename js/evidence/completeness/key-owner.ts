import type { VerifiedBundle } from '../../verifying/verify/options.js'

export interface SignerName {
  readonly signer: string
  readonly name?: string | undefined
}

/** Returns the signer of a verified message. For a key under a lease, returns the issuer of the lease. */
export function signerNameOf({ signer, signedBy }: Pick<VerifiedBundle, 'signer' | 'signedBy'>): SignerName {
  return { signer: signedBy?.id ?? signer, name: signedBy?.name }
}

type Signature = Pick<VerifiedBundle, 'signer' | 'signedBy'>

/**
 * Owner of a key: the signer to which the key's runs and messages are attributed (FORMAT.md, Verdict). If
 * several issuers have leased the key, the issuer with the smallest key id is the owner.
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

  addMessage(first: Signature): void {
    this.#byMessages = firstOf(this.#byMessages, signerNameOf(first))
  }

  /** Owner of the key, by the checkpoints added so far, or by the messages if no checkpoint was added. */
  get signer(): SignerName {
    return this.#byCheckpoints ?? this.#byMessages ?? { signer: this.#keyId }
  }
}

function firstOf(one: SignerName | undefined, other: SignerName): SignerName {
  return one === undefined || other.signer < one.signer ? other : one
}
