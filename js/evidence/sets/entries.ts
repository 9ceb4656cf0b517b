import { HASH_BYTES } from '../../foundation/core/tree.js'

/** Number of entries in the first block. It is small because sets of a few keys are common. */
const FIRST = 16

/** Entries of 32 bytes, concatenated in blocks. Adding entries copies none but those of the first block. */
export class Entries {
  readonly #most: number
  #blocks: Uint8Array[] = []
  #length = 0

  /** @param most - number of entries of a block, a power of two */
  constructor(most: number) {
    this.#most = most
  }

  /** Number of entries. */
  get length(): number {
    return this.#length
  }

  /** Copies an entry from a position in bytes. */
  add(from: Uint8Array, at: number): void {
    const place = this.#length % this.#most
    const block = this.#blockFor(place)
    // A loop, because making a view of 32 bytes takes longer than copying them.
    for (let byte = 0; byte < HASH_BYTES; byte++) {
      block[place * HASH_BYTES + byte] = from[at + byte] as number
    }
    this.#length++
  }

  /** Copies concatenated entries. */
  addAll(from: Uint8Array): void {
    for (let at = 0; at < from.length; at += HASH_BYTES) this.add(from, at)
  }

  /** Returns the block of an entry. `offsetOf` gives the position in it. */
  blockOf(index: number): Uint8Array {
    return this.#blocks[Math.floor(index / this.#most)] as Uint8Array
  }

  offsetOf(index: number): number {
    return (index % this.#most) * HASH_BYTES
  }

  /** Returns a view of an entry. */
  at(index: number): Uint8Array {
    const offset = this.offsetOf(index)
    return this.blockOf(index).subarray(offset, offset + HASH_BYTES)
  }

  /** Yields all entries, a block at a time. */
  *blocks(): Generator<Uint8Array, void> {
    let left = this.#length
    for (const block of this.#blocks) {
      yield block.subarray(0, Math.min(left, this.#most) * HASH_BYTES)
      left -= this.#most
    }
  }

  /** Yields all entries, a block at a time, and releases each block afterwards. */
  *drained(): Generator<Uint8Array, void> {
    const blocks = [...this.blocks()].reverse()
    this.#blocks = []
    this.#length = 0
    for (let block = blocks.pop(); block; block = blocks.pop()) yield block
  }

  #blockFor(place: number): Uint8Array {
    if (place === 0) return this.#begin()
    const last = this.#blocks[this.#blocks.length - 1] as Uint8Array
    return last.length > place * HASH_BYTES ? last : this.#grown(last)
  }

  #begin(): Uint8Array {
    const count = this.#blocks.length > 0 ? this.#most : Math.min(FIRST, this.#most)
    const block = new Uint8Array(count * HASH_BYTES)
    this.#blocks.push(block)
    return block
  }

  /**
   * Enlarges the first block, up to the length of all others. Other blocks have that length from the
   * beginning.
   */
  #grown(block: Uint8Array): Uint8Array {
    const larger = new Uint8Array(Math.min(4 * block.length, this.#most * HASH_BYTES))
    larger.set(block)
    this.#blocks[this.#blocks.length - 1] = larger
    return larger
  }
}

/** Number of entries in a block of a list. */
const LIST_BLOCK = 32_768

export function newEntries(): Entries {
  return new Entries(LIST_BLOCK)
}

/** Compares two entries as bytes: negative if the left one comes first, 0 if they are equal. */
export function compared(left: Uint8Array, leftAt: number, right: Uint8Array, rightAt: number): number {
  for (let byte = 0; byte < HASH_BYTES; byte++) {
    const difference = (left[leftAt + byte] as number) - (right[rightAt + byte] as number)
    if (difference !== 0) return difference
  }
  return 0
}
