import { join } from '../base/bytes/join.js'
import { type Core, type Held, hold, type Verifier, type VerifyingKey, withCore } from '../core/core.js'
import type { KeyringKeys } from '../model/worker-pool.js'

/** Of whom to trust, what the core has to know. */
type VerifyingKeys = Pick<KeyringKeys, 'keys' | 'maxTableBytes'>

/** The core's own verifier for some keys: it has their points and tables, and the last batches' roots, at hand. */
export class CoreVerifier {
  readonly #trusted: VerifyingKeys
  #held: Held<Verifier> | undefined

  /** @param trusted - asked for its keys when the verifier is made, and again after it was closed */
  constructor(trusted: VerifyingKeys) {
    this.#trusted = trusted
  }

  use<T>(run: (verifier: Verifier) => T): T {
    if (!this.#held || this.#held.isLost) this.#held = hold((core) => this.#made(core))
    const { object } = this.#held
    return withCore(() => run(object))
  }

  /** Trusts another key, if there is a verifier already; one that is made later asks for all of them. */
  trust(key: VerifyingKey): void {
    if (this.isMade) this.use((verifier) => verifier.trust(key))
  }

  /** Stops trusting a key, if there is a verifier already. */
  distrust(keyId: string): void {
    if (this.isMade) this.use((verifier) => verifier.distrust(keyId))
  }

  /** Whether there is a verifier, that need not be made for the next use. */
  get isMade(): boolean {
    return this.#held !== undefined && !this.#held.isLost
  }

  /** Takes one that was made of the same keys, where there is none. */
  adopt(held: Held<Verifier>): void {
    this.#held = held
  }

  #made(core: Core): Verifier {
    const { keys, maxTableBytes } = this.#trusted
    const verifier = new core.Verifier(maxTableBytes)
    verifier.trustAll(join(keys).bytes)
    return verifier
  }

  /** Gives the core's memory back; a later use takes it again. The garbage collector does it otherwise. */
  close(): void {
    const held = this.#held
    this.#held = undefined
    held?.release()
  }
}
