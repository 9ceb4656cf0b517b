import { keyIfAny } from '../../hashing/hashing.js'
import type { Bundle, HashName } from '../../model/bundle.js'

/** The payload that messages should be about: hashed once by each name, however many bundles there are. */
export class AskedPayload {
  readonly #keys = new Map<HashName, string | undefined>()

  constructor(readonly bytes: Uint8Array) {}

  /** Its key; undefined where the hash cannot take it. */
  keyBy(hash: HashName): string | undefined {
    if (!this.#keys.has(hash)) this.#keys.set(hash, keyIfAny(this.bytes, hash))
    return this.#keys.get(hash)
  }

  /** Whether a bundle is about it. */
  isOf({ key, hash }: Pick<Bundle, 'key' | 'hash'>): boolean {
    return this.keyBy(hash) === key
  }
}
