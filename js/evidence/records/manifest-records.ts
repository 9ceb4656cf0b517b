import { toHex } from '../../foundation/base/bytes/hex.js'
import { runYielding } from '../../foundation/base/time/turns.js'
import { digestAll } from '../../foundation/core/hashing.js'
import { HASH_BYTES } from '../../foundation/core/tree.js'
import type { HashName } from '../../foundation/model/bundle.js'
import type { Entries } from '../sets/entries.js'
import { keyBytesOf, saltKeys } from '../sets/entry.js'
import { CONTENTS, type Manifest } from '../sets/manifest.js'
import type { SealedEntries } from '../sets/tree.js'
import { saltIn } from '../sets/verify-manifest.js'
import { NOT_SIGNED } from './align.js'
import type { SignedOrder, SignedRecord } from './signed-records.js'
import { STEP } from './subsequences.js'

const FREE = -1

/**
 * Index of entries by their bytes. Nobody can construct many entries that collide, because the hash is simple
 * tabulation with random numbers (M. Pătraşcu, M. Thorup, "The power of simple tabulation hashing", 2012).
 */
class EntryIndex {
  readonly #entries: Entries
  readonly #random = crypto.getRandomValues(new Uint32Array(256 * HASH_BYTES))
  /** Places of entries, in a hash table with linear probing. At least half of the slots stay free. */
  readonly #slots: Int32Array
  /** First place with an equal entry, for each place. */
  readonly firsts: Int32Array

  private constructor(entries: Entries) {
    this.#entries = entries
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * entries.length + 1))).fill(FREE)
    this.firsts = new Int32Array(entries.length)
  }

  static *over(entries: Entries): Generator<void, EntryIndex> {
    const index = new EntryIndex(entries)
    for (let place = 0; place < entries.length; place++) {
      if (place % STEP === 0) yield
      const slot = index.#slotOf(entries.blockOf(place), entries.offsetOf(place))
      const first = index.#slots[slot] as number
      if (first === FREE) index.#slots[slot] = place
      index.firsts[place] = first === FREE ? place : first
    }
    return index
  }

  /** Returns the first place of an entry; -1 if there is none. */
  placeOf(entry: Uint8Array, at: number): number {
    return this.#slots[this.#slotOf(entry, at)] as number
  }

  #slotOf(entry: Uint8Array, at: number): number {
    const mask = this.#slots.length - 1
    let slot = this.#hash(entry, at) & mask
    for (let place = this.#slots[slot] as number; place !== FREE; place = this.#slots[slot] as number) {
      if (this.#entries.compare(place, entry, at) === 0) break
      slot = (slot + 1) & mask
    }
    return slot
  }

  #hash(entry: Uint8Array, at: number): number {
    let hash = 0
    for (let byte = 0; byte < HASH_BYTES; byte++) {
      hash ^= this.#random[256 * byte + (entry[at + byte] as number)] as number
    }
    return hash
  }
}

export class ManifestRecords implements SignedOrder {
  readonly isWhole = true
  readonly hashes: readonly HashName[] = ['sha256']
  readonly #contents: SealedEntries
  /**
   * Index of the manifest. It is built when a record is first out of order, because most files are unchanged.
   */
  #index: EntryIndex | undefined
  /** Place after the last record that was found. */
  #next = 0

  /** @throws AlvariumError `CONFIG_INVALID` if the manifest has a salt that was not given */
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
    const [place = NOT_SIGNED] = await this.#placesOf(keyBytesOf(key))
    return place
  }

  at(place: number): SignedRecord {
    const number = place + 1
    const key = toHex(this.#contents.entries.at(place)).toUpperCase()
    return { number, message: 1, bundle: number, key, hash: 'sha256' }
  }

  async #placesOf(keys: Uint8Array): Promise<Int32Array> {
    const found = saltKeys(keys, this.#contents.salt)
    const places = new Int32Array(found.length / HASH_BYTES)
    for (let at = 0; at < places.length; at++) {
      const offset = at * HASH_BYTES
      const place = this.#isNext(found, offset) ? this.#next : await this.#search(found, offset)
      places[at] = place
      if (place !== NOT_SIGNED) this.#next = place + 1
    }
    return places
  }

  #isNext(found: Uint8Array, at: number): boolean {
    const { entries } = this.#contents
    return this.#next < entries.length && entries.compare(this.#next, found, at) === 0
  }

  async #search(found: Uint8Array, at: number): Promise<number> {
    this.#index ??= await runYielding(EntryIndex.over(this.#contents.entries))
    return this.#index.placeOf(found, at)
  }
}
