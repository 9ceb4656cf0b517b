import { join } from '../../foundation/base/bytes/join.js'
import {
  type Core,
  type CoreObject,
  hold,
  type Verifier,
  type VerifyingKey,
  withCore,
} from '../../foundation/core/core.js'
import type { KeyringKeys } from '../../foundation/model/worker-pool.js'

/** Public keys and memory limit of a verifier in the core. */
type VerifyingKeys = Pick<KeyringKeys, 'keys' | 'maxTableBytes'>

/** Verifier in the core for given public keys. It caches the keys' tables, and the roots of the last batches. */
export class CoreVerifier {
  readonly #trusted: VerifyingKeys
  #verifier: CoreObject<Verifier> | undefined

  /** @param trusted - read when the verifier is created, and again when it is created after `close` */
  constructor(trusted: VerifyingKeys) {
    this.#trusted = trusted
  }

  use<T>(run: (verifier: Verifier) => T): T {
    if (!this.#verifier || this.#verifier.isLost) this.#verifier = hold((core) => this.#make(core))
    const { object } = this.#verifier
    return withCore(() => run(object))
  }

  /** Adds a public key to a verifier that exists. A verifier that is created later reads all keys. */
  trust(key: VerifyingKey): void {
    if (this.isMade) this.use((verifier) => verifier.trust(key))
  }

  /** Removes a public key from a verifier that exists. */
  distrust(keyId: string): void {
    if (this.isMade) this.use((verifier) => verifier.distrust(keyId))
  }

  /** True if the verifier exists, so that the next use does not create it. */
  get isMade(): boolean {
    return this.#verifier !== undefined && !this.#verifier.isLost
  }

  /** Sets a verifier that was created from the same public keys. The caller must check that there is none yet. */
  adopt(held: CoreObject<Verifier>): void {
    this.#verifier = held
  }

  #make(core: Core): Verifier {
    const { keys, maxTableBytes } = this.#trusted
    const verifier = new core.Verifier(maxTableBytes)
    verifier.trustAll(join(keys).bytes)
    return verifier
  }

  /** Frees the verifier in the core. Otherwise, the garbage collector does. The next use creates a new verifier. */
  close(): void {
    const held = this.#verifier
    this.#verifier = undefined
    held?.release()
  }
}
