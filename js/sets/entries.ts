import { HASH_BYTES } from '../core/hashed.js'

/** The first block is as small as this; sets of a few keys are ordinary. */
const FIRST = 16

/** Entries of 32 bytes, one behind the other in blocks: nothing is copied when there are more of them. */
export class Entries {
  readonly #most: number
  #blocks: Uint8Array[] = []
  #length = 0

  /** @param most - entries of a block, a power of two */
  constructor(most: number) {
    this.#most = most
  }

  /** How many there are. */
  get length(): number {
    return this.#length
  }

  /** Copies an entry out of bytes. */
  add(from: Uint8Array, at: number): void {
    const place = this.#length % this.#most
    const block = this.#blockFor(place)
    // A loop: a view of 32 bytes takes longer to be made than to be copied.
    for (let byte = 0; byte < HASH_BYTES; byte++) {
      block[place * HASH_BYTES + byte] = from[at + byte] as number
    }
    this.#length++
  }

  /** Copies entries that stand one behind the other. */
  addAll(from: Uint8Array): void {
    for (let at = 0; at < from.length; at += HASH_BYTES) this.add(from, at)
  }

  /** The block that an entry stands in, and where. */
  blockOf(index: number): Uint8Array {
    return this.#blocks[Math.floor(index / this.#most)] as Uint8Array
  }

  offsetOf(index: number): number {
    return (index % this.#most) * HASH_BYTES
  }

  /** An entry: a view of it. */
  at(index: number): Uint8Array {
    const offset = this.offsetOf(index)
    return this.blockOf(index).subarray(offset, offset + HASH_BYTES)
  }

  /** All of them, a block at a time. */
  *blocks(): Generator<Uint8Array, void> {
    let left = this.#length
    for (const block of this.#blocks) {
      yield block.subarray(0, Math.min(left, this.#most) * HASH_BYTES)
      left -= this.#most
    }
  }

  /** The same; what was seen is let go of. */
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

  /** Only the first block grows, up to the length of all others. */
  #grown(block: Uint8Array): Uint8Array {
    const larger = new Uint8Array(Math.min(4 * block.length, this.#most * HASH_BYTES))
    larger.set(block)
    this.#blocks[this.#blocks.length - 1] = larger
    return larger
  }
}

/** Entries of a block of a list. */
const LIST_BLOCK = 32_768

/** Returns room for the entries of a list. */
export function newEntries(): Entries {
  return new Entries(LIST_BLOCK)
}

/** Which of two entries comes first: they are compared as bytes. */
export function compared(left: Uint8Array, leftAt: number, right: Uint8Array, rightAt: number): number {
  for (let byte = 0; byte < HASH_BYTES; byte++) {
    const difference = (left[leftAt + byte] as number) - (right[rightAt + byte] as number)
    if (difference !== 0) return difference
  }
  return 0
}
