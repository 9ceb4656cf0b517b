import { describe, isBytes } from '../base/errors.js'
import { type Core, type Held, hold, type Verifier, withCore } from '../core/core.js'
import { readVerifyingKey, type VerifyingKeyInput, withVerifyingKey } from './verifying.js'

/**
 * The public keys that a verifier trusts. Messages name their key, so a keyring can hold many signers, and
 * the old and new key of one that changes keys.
 *
 * @example
 * ```ts
 * const keyring = new Keyring([await readKey('edge-7.key'), await readKey('edge-8.key')])
 * const bundle = await verifyMessage(message, { keyring })
 * ```
 */
export class Keyring {
  readonly #keys = new Map<string, Uint8Array>()
  #held: Held<Verifier> | undefined
  #list: readonly Uint8Array[] | undefined

  /**
   * @throws AlvariumError `KEY_INVALID`
   * @throws TypeError when `keys` is a single key
   */
  constructor(keys: Iterable<VerifyingKeyInput> = []) {
    if (isBytes(keys) || typeof keys === 'string') {
      throw new TypeError(`keys: expected an array of keys, got ${describe(keys)}`)
    }
    for (const key of keys) this.add(key)
  }

  /**
   * Trusts another key.
   *
   * @returns its key id
   * @throws AlvariumError `KEY_INVALID`
   */
  add(verifyingKey: VerifyingKeyInput): string {
    const { bytes, keyId } = readVerifyingKey(verifyingKey)
    this.#keys.set(keyId, bytes)
    this.#list = undefined
    this.close()
    return keyId
  }

  /** Stops trusting a key. */
  delete(keyId: string): boolean {
    const wasThere = this.#keys.delete(keyId)
    this.#list = undefined
    this.close()
    return wasThere
  }

  /** The ids of all trusted keys. */
  get keyIds(): string[] {
    return [...this.#keys.keys()]
  }

  /** @internal The trusted public keys; the same array until one is added or taken out. */
  get keys(): readonly Uint8Array[] {
    this.#list ??= [...this.#keys.values()]
    return this.#list
  }

  /** @internal Runs on the core's own verifier, which has every key's point and the last batches' roots at hand. */
  use<T>(run: (verifier: Verifier) => T): T {
    if (!this.#held || this.#held.isLost) this.#held = hold((core) => this.#build(core))
    const { object } = this.#held
    return withCore(() => run(object))
  }

  #build(core: Core): Verifier {
    const verifier = new core.Verifier()
    for (const bytes of this.#keys.values()) withVerifyingKey(bytes, (key) => verifier.trust(key))
    return verifier
  }

  /** Gives the core's memory back; a later use takes it again. The garbage collector does it otherwise. */
  close(): void {
    const held = this.#held
    this.#held = undefined
    held?.release()
  }
}

/**
 * @internal The keyring itself, or one of the keys.
 *
 * @throws TypeError when it is neither; whoever forgets it would trust nobody, and never see a message
 */
export function keyringOf(keyring: Keyring | readonly VerifyingKeyInput[]): Keyring {
  if (keyring instanceof Keyring) return keyring
  if (Array.isArray(keyring)) return new Keyring(keyring)
  throw new TypeError(`keyring: expected a Keyring or an array of keys, got ${describe(keyring)}`)
}
