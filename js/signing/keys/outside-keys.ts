import type { EcKey } from '../../foundation/model/algorithm.js'
import { ecVerifies } from './ec/public-key.js'
import { recoverById } from './ec/recovery.js'
import { type HostKey, hostSpki, hostVerifier, type VerifyFunction } from './host-verifier.js'
import type { OutsideKeys } from './outside-verifier.js'

/** EC keys. A separate WebAssembly module verifies their signatures: `await loadAlgorithms()` first. */
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
    // Store the recovered key, so that later signatures need no recovery.
    if (recovered) this.#keys.set(keyId, recovered)
    return recovered !== undefined
  }
}

/** Public keys for which the platform verifies signatures. */
export class HostKeys implements OutsideKeys {
  readonly #keys: ReadonlyMap<string, HostKey>
  /** Verify functions of the keys that the platform has opened, each on first use. */
  readonly #open = new Map<string, VerifyFunction>()

  /** @throws AlvariumError `CONFIG_INVALID` for an EC key on another curve than P-256 */
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
