import { HASH_BYTES } from '../../foundation/core/tree.js'
import { compared, type Entries } from '../sets/entries.js'
import { STEP } from './subsequences.js'

const FREE = -1

/**
 * Index of entries by their bytes. Neither the signer nor the writer of a file can make many entries collide: the hash is simple tabulation
 * by random numbers (M. Pătraşcu, M. Thorup, "The power of simple tabulation hashing", 2012).
 */
export class EntryIndex {
  readonly #entries: Entries
  readonly #random = crypto.getRandomValues(new Uint32Array(256 * HASH_BYTES))
  /** Places of entries. Each is in the first slot from its hash on that was free; at least half of the slots stay free. */
  readonly #slots: Int32Array
  /** First place with the same entry, for each place. */
  readonly firsts: Int32Array

  private constructor(entries: Entries) {
    this.#entries = entries
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * entries.length + 1))).fill(FREE)
    this.firsts = new Int32Array(entries.length)
  }

  /** Indexes entries, in steps. */
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

  /** Returns the first place of an entry, or -1. */
  placeOf(entry: Uint8Array, at: number): number {
    return this.#slots[this.#slotOf(entry, at)] as number
  }

  /** Returns the slot with the entry, or the free slot for it. */
  #slotOf(entry: Uint8Array, at: number): number {
    const mask = this.#slots.length - 1
    let slot = this.#hash(entry, at) & mask
    for (let place = this.#slots[slot] as number; place !== FREE; place = this.#slots[slot] as number) {
      if (compared(this.#entries.blockOf(place), this.#entries.offsetOf(place), entry, at) === 0) break
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
