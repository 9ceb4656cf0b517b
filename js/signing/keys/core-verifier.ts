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
import type { OutsideVerifier } from './outside-verifier.js'

type VerifyingKeys = Pick<KeyringKeys, 'keys' | 'maxTableBytes'>

/** Verifier with keys in the core, and possibly keys outside of the core for other signers. */
export interface VerifyingCore extends Pick<CoreVerifier, 'use'> {
  readonly outside: OutsideVerifier | undefined
}

/** Verifier in the core for given public keys. It caches tables for frequently used keys, and verified batches. */
export class CoreVerifier {
  readonly #trusted: VerifyingKeys
  #verifier: CoreObject<Verifier> | undefined

  /** @param trusted - keys and memory limit, read on first use, and on the first use after `close` */
  constructor(trusted: VerifyingKeys) {
    this.#trusted = trusted
  }

  use<T>(run: (verifier: Verifier) => T): T {
    if (!this.#verifier || this.#verifier.isLost) this.#verifier = hold((core) => this.#make(core))
    const { object } = this.#verifier
    return withCore(() => run(object))
  }

  /**
   * Adds a public key to the core's verifier if the verifier exists. If not, its first use creates it with
   * all keys.
   */
  trust(key: VerifyingKey): void {
    if (this.isMade) this.use((verifier) => verifier.trust(key))
  }

  distrust(keyId: string): void {
    if (this.isMade) this.use((verifier) => verifier.distrust(keyId))
  }

  /** True if the verifier was created, so that the next use does not read all keys first. */
  get isMade(): boolean {
    return this.#verifier !== undefined && !this.#verifier.isLost
  }

  /** Takes over a verifier that the caller has created from the same public keys. Requires `isMade` to be false. */
  adopt(verifier: CoreObject<Verifier>): void {
    this.#verifier = verifier
  }

  #make(core: Core): Verifier {
    const { keys, maxTableBytes } = this.#trusted
    const verifier = new core.Verifier(maxTableBytes)
    verifier.trustAll(join(keys).bytes)
    return verifier
  }

  /** Frees the verifier's memory in the core before the garbage collector does. The next use creates a new one. */
  close(): void {
    const verifier = this.#verifier
    this.#verifier = undefined
    verifier?.release()
  }
}
