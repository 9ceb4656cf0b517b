const MAX_HOSTS = 10_000
const MAX_SIGNERS = 4

/** Public key of an annotation's signer: its key id, and the index of its keyring in the trusted keyrings. */
export interface RememberedSigner {
  readonly signer: string
  readonly keyringIndex: number
}

/**
 * Memory that the signer searches of several messages share. Classic annotations do not name their keys, so a
 * host's known signers are tried first. A limit prevents endless trials for messages of unknown signers.
 */
export class SearchMemory {
  #left: number
  #isNew = true
  readonly #byHost = new Map<string, RememberedSigner[]>()

  /** @param trials - maximum number of public keys to try, summed over all messages */
  constructor(trials: number) {
    this.#left = trials
  }

  /** Counts a message of the search. Each message permits one more trial of a public key. */
  countMessage(): void {
    this.#left++
  }

  /** Returns whether the limit allows this many trials. Always allows the first search. */
  canAfford(trials: number): boolean {
    return this.#isNew || trials <= this.#left
  }

  spend(trials: number): void {
    this.#isNew = false
    this.#left -= trials
  }

  signersOn(host: string): readonly RememberedSigner[] {
    return this.#byHost.get(host) ?? []
  }

  remember(host: string, signer: RememberedSigner): void {
    const signers = this.#byHost.get(host)
    if (signers && signers.length < MAX_SIGNERS) signers.push(signer)
    else if (!signers && this.#byHost.size < MAX_HOSTS) this.#byHost.set(host, [signer])
  }
}
