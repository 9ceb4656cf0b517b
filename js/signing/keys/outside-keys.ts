import type { EcKey } from '../../foundation/model/algorithm.js'
import { ecVerifies } from './ec/public-key.js'
import { recoverById } from './ec/recovery.js'
import { type HostKey, hostSpki, hostVerifier, type VerifyFunction } from './host-verifier.js'
import type { OutsideKeys } from './outside-verifier.js'

/** EC keys. Their signatures are verified by a separate WebAssembly module: `await loadAlgorithms()` first. */
export class EcKeys implements OutsideKeys {
  readonly #keys: Map<string, EcKey>

  constructor(keys: Iterable<EcKey>) {
    this.#keys = new Map(Array.from(keys, (key) => [key.keyId, key]))
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
    const { point } = key
    if (point) return ecVerifies({ ...key, point }, bytes, signature)
    const recovered = recoverById(keyId, bytes, signature)
    // Keep the recovered key: later signatures need no recovery.
    if (recovered) this.#keys.set(keyId, recovered)
    return recovered !== undefined
  }
}

/** Keys whose signatures the platform verifies. */
export class HostKeys implements OutsideKeys {
  readonly #keys: ReadonlyMap<string, HostKey>
  /** Keys in the platform, each opened when first needed. */
  readonly #open = new Map<string, VerifyFunction>()

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
