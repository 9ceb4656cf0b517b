import { type HostKey, hostSpki, hostVerifier, type Verifies } from './host-verifier.js'
import type { OutsideKeys } from './outside-verifier.js'

/** Keys whose signatures the platform verifies. */
export class HostKeys implements OutsideKeys {
  readonly #keys: ReadonlyMap<string, HostKey>
  /** Keys in the platform, each opened when first needed. */
  readonly #open = new Map<string, Verifies>()

  /** @throws AlvariumError `CONFIG_INVALID` for a key on another curve than P-256 */
  constructor(keys: Iterable<readonly [keyId: string, key: HostKey]>) {
    this.#keys = new Map(keys)
    for (const key of this.#keys.values()) hostSpki(key)
  }

  get size(): number {
    return this.#keys.size
  }

  has(keyId: string): boolean {
    return this.#keys.has(keyId)
  }

  verifies(keyId: string, bytes: Uint8Array, signature: Uint8Array): boolean {
    const key = this.#keys.get(keyId)
    if (!key) return false
    const verifies = this.#open.get(keyId) ?? hostVerifier(key)
    this.#open.set(keyId, verifies)
    return verifies(bytes, signature)
  }
}
