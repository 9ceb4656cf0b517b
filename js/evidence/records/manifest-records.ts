import { toHex } from '../../foundation/base/bytes/hex.js'
import { runYielding } from '../../foundation/base/time/turns.js'
import { digestAll } from '../../foundation/core/hashing.js'
import { HASH_BYTES } from '../../foundation/core/tree.js'
import type { HashName } from '../../foundation/model/bundle.js'
import { compared } from '../sets/entries.js'
import { keyBytesOf, salted } from '../sets/entry.js'
import { CONTENTS, type Manifest, type ManifestContents } from '../sets/manifest.js'
import { saltIn } from '../sets/verify-manifest.js'
import { UNSIGNED } from './align.js'
import { EntryIndex } from './entry-index.js'
import type { SignedOrder, SignedRecord } from './signed.js'

/** Records that a manifest lists. */
export class ManifestRecords implements SignedOrder {
  readonly isWhole = true
  readonly hashes: readonly HashName[] = ['sha256']
  readonly #contents: ManifestContents
  /** Index, created for the first record that is not the expected one: most files are unchanged. */
  #index: EntryIndex | undefined
  /** Place after the record that was found last. */
  #next = 0

  /** @throws AlvariumError `CONFIG_INVALID` if the manifest has a salt that is not given */
  constructor(manifest: Manifest) {
    saltIn(manifest.statement)
    this.#contents = manifest[CONTENTS]
  }

  get length(): number {
    return this.#contents.entries.length
  }

  get numbers(): Int32Array {
    return this.#index?.firsts ?? Int32Array.from({ length: this.length }, (_, place) => place)
  }

  placesOf(payloads: readonly Uint8Array[]): Promise<Int32Array> {
    return this.#placesOf(digestAll(payloads))
  }

  async placeOfKey(_hash: HashName, key: string): Promise<number> {
    const [place = UNSIGNED] = await this.#placesOf(keyBytesOf(key))
    return place
  }

  at(place: number): SignedRecord {
    const number = place + 1
    const key = toHex(this.#contents.entries.at(place)).toUpperCase()
    return { number, message: 1, bundle: number, key, hash: 'sha256' }
  }

  async #placesOf(keys: Uint8Array): Promise<Int32Array> {
    const found = salted(keys, this.#contents.salt)
    const places = new Int32Array(found.length / HASH_BYTES)
    for (let at = 0; at < places.length; at++) {
      const place = this.#isNext(found, at * HASH_BYTES)
        ? this.#next
        : await this.#search(found, at * HASH_BYTES)
      places[at] = place
      if (place !== UNSIGNED) this.#next = place + 1
    }
    return places
  }

  #isNext(found: Uint8Array, at: number): boolean {
    const { entries } = this.#contents
    if (this.#next >= entries.length) return false
    return compared(entries.blockOf(this.#next), entries.offsetOf(this.#next), found, at) === 0
  }

  async #search(found: Uint8Array, at: number): Promise<number> {
    this.#index ??= await runYielding(EntryIndex.over(this.#contents.entries))
    return this.#index.placeOf(found, at)
  }
}
