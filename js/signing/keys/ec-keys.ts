import type { EcKey } from '../../foundation/model/algorithm.js'
import { ecVerifies } from './ec-public.js'
import type { OutsideKeys } from './outside-verifier.js'
import { recoveredWithId } from './recovery.js'

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
    const recovered = recoveredWithId(keyId, bytes, signature)
    // Keep the recovered key: later signatures need no recovery.
    if (recovered) this.#keys.set(keyId, recovered)
    return recovered !== undefined
  }
}
