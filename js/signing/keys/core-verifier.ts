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

/** Keys and settings that the core needs. */
type VerifyingKeys = Pick<KeyringKeys, 'keys' | 'maxTableBytes'>

/** Verifier in the core for some keys: it remembers their points and tables, and the roots of the last batches. */
export class CoreVerifier {
  readonly #trusted: VerifyingKeys
  #verifier: CoreObject<Verifier> | undefined

  /** @param trusted - read when the verifier is made, and again after it was closed */
  constructor(trusted: VerifyingKeys) {
    this.#trusted = trusted
  }

  use<T>(run: (verifier: Verifier) => T): T {
    if (!this.#verifier || this.#verifier.isLost) this.#verifier = hold((core) => this.#make(core))
    const { object } = this.#verifier
    return withCore(() => run(object))
  }

  /** Trusts another key in the verifier, if there is one already. A verifier that is made later reads all keys. */
  trust(key: VerifyingKey): void {
    if (this.isMade) this.use((verifier) => verifier.trust(key))
  }

  /** Stops trusting a key, if there is a verifier already. */
  distrust(keyId: string): void {
    if (this.isMade) this.use((verifier) => verifier.distrust(keyId))
  }

  /** True if the next use need not make a verifier. */
  get isMade(): boolean {
    return this.#verifier !== undefined && !this.#verifier.isLost
  }

  /** Sets a verifier that was made of the same keys, if there was none. */
  adopt(held: CoreObject<Verifier>): void {
    this.#verifier = held
  }

  #make(core: Core): Verifier {
    const { keys, maxTableBytes } = this.#trusted
    const verifier = new core.Verifier(maxTableBytes)
    verifier.trustAll(join(keys).bytes)
    return verifier
  }

  /** Frees the memory of the core; a later use takes it again. Otherwise, the garbage collector frees it. */
  close(): void {
    const held = this.#verifier
    this.#verifier = undefined
    held?.release()
  }
}
