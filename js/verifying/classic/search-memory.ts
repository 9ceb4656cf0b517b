/** Limit of hosts with remembered signers. */
const MAX_HOSTS = 10_000
/** Limit of remembered signers of one host. */
const MAX_SIGNERS = 4

/** Key that has signed an annotation: its id, and the index of its keyring among the trusted ones. */
export interface RememberedSigner {
  readonly signer: string
  readonly place: number
}

/**
 * Memory that the searches of several messages share. Classic annotations do not name their keys. A host's
 * signers are therefore tried first, and messages of strangers cannot cause endless trials of all keys.
 */
export class SearchMemory {
  #left: number
  #isNew = true
  readonly #byHost = new Map<string, RememberedSigner[]>()

  /** @param trials - limit of trials of public keys over all messages */
  constructor(trials: number) {
    this.#left = trials
  }

  /** Counts a message, which may cost one more trial. */
  countMessage(): void {
    this.#left++
  }

  /**
   * Returns whether a search may try so many keys. The first search always may, so that a large keyring works
   * at all.
   */
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
