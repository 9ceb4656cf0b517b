/** Limit of the hosts whose signers are remembered. */
const MAX_HOSTS = 10_000
/** Limit of the signers that are remembered of one host. */
const MAX_SIGNERS = 4

/** A key that has signed an annotation: its id, and the place of its keyring among the trusted ones. */
export interface RememberedSigner {
  readonly signer: string
  readonly place: number
}

/**
 * Knowledge that the searches of several messages share. Classic annotations do not name their keys: so a host's signers are tried first, and
 * messages of strangers cannot have all keys tried without end.
 */
export class SearchMemory {
  #left: number
  #isNew = true
  readonly #byHost = new Map<string, RememberedSigner[]>()

  /** @param trials - limit of the trials of public keys, over all of the messages */
  constructor(trials: number) {
    this.#left = trials
  }

  /** Counts a message, which may cost one more trial. */
  countMessage(): void {
    this.#left++
  }

  /** Returns whether a search may try so many keys. The first one may: it must be possible with a large keyring. */
  canAfford(trials: number): boolean {
    return this.#isNew || trials <= this.#left
  }

  spend(trials: number): void {
    this.#isNew = false
    this.#left -= trials
  }

  /** Returns the signers whose keys have signed annotations of this host. */
  signersOn(host: string): readonly RememberedSigner[] {
    return this.#byHost.get(host) ?? []
  }

  remember(host: string, signer: RememberedSigner): void {
    const signers = this.#byHost.get(host)
    if (signers && signers.length < MAX_SIGNERS) signers.push(signer)
    else if (!signers && this.#byHost.size < MAX_HOSTS) this.#byHost.set(host, [signer])
  }
}
