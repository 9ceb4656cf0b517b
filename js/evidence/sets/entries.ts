import { assertBytes, malformed } from '../../foundation/base/errors.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import { HASH_BYTES } from '../../foundation/core/tree.js'

/** Number of entries in the first block. The block is small, because sets of a few keys are common. */
const FIRST_BLOCK = 16
const LIST_BLOCK = 32_768

/** Entries of 32 bytes, concatenated in blocks. Adding an entry may copy the first block, but no later one. */
export class Entries {
  readonly #blockSize: number
  #blocks: Uint8Array[] = []
  #length = 0

  /** @param blockSize - number of entries in a block, a power of two */
  constructor(blockSize = LIST_BLOCK) {
    this.#blockSize = blockSize
  }

  get length(): number {
    return this.#length
  }

  /** @param at - offset of the entry in `from`, in bytes */
  add(from: Uint8Array, at: number): void {
    const place = this.#length % this.#blockSize
    const block = this.#blockFor(place)
    // Copy in a loop, because making a view of 32 bytes takes longer than copying them.
    for (let byte = 0; byte < HASH_BYTES; byte++) {
      block[place * HASH_BYTES + byte] = from[at + byte] as number
    }
    this.#length++
  }

  addAll(from: Uint8Array): void {
    for (let at = 0; at < from.length; at += HASH_BYTES) this.add(from, at)
  }

  blockOf(index: number): Uint8Array {
    return this.#blocks[Math.floor(index / this.#blockSize)] as Uint8Array
  }

  offsetOf(index: number): number {
    return (index % this.#blockSize) * HASH_BYTES
  }

  at(index: number): Uint8Array {
    const offset = this.offsetOf(index)
    return this.blockOf(index).subarray(offset, offset + HASH_BYTES)
  }

  /** Compares an entry with 32 bytes of `other`: negative if the entry comes first, 0 if they are equal. */
  compare(index: number, other: Uint8Array, otherAt: number): number {
    const [block, at] = [this.blockOf(index), this.offsetOf(index)]
    for (let byte = 0; byte < HASH_BYTES; byte++) {
      const difference = (block[at + byte] as number) - (other[otherAt + byte] as number)
      if (difference !== 0) return difference
    }
    return 0
  }

  *blocks(): Generator<Uint8Array, void> {
    let left = this.#length
    for (const block of this.#blocks) {
      yield block.subarray(0, Math.min(left, this.#blockSize) * HASH_BYTES)
      left -= this.#blockSize
    }
  }

  /** Yields all entries, and releases each block afterwards. */
  *drain(): Generator<Uint8Array, void> {
    const blocks = [...this.blocks()].reverse()
    this.#blocks = []
    this.#length = 0
    for (let block = blocks.pop(); block; block = blocks.pop()) yield block
  }

  #blockFor(place: number): Uint8Array {
    if (place === 0) return this.#begin()
    const last = this.#blocks[this.#blocks.length - 1] as Uint8Array
    return last.length > place * HASH_BYTES ? last : this.#grow(last)
  }

  #begin(): Uint8Array {
    const count = this.#blocks.length > 0 ? this.#blockSize : Math.min(FIRST_BLOCK, this.#blockSize)
    const block = new Uint8Array(count * HASH_BYTES)
    this.#blocks.push(block)
    return block
  }

  /** Enlarges the first block, up to the length that all later blocks have from the start. */
  #grow(block: Uint8Array): Uint8Array {
    const larger = new Uint8Array(Math.min(4 * block.length, this.#blockSize * HASH_BYTES))
    larger.set(block)
    this.#blocks[this.#blocks.length - 1] = larger
    return larger
  }
}

const PIECE_BYTES = 262_144

interface ListRules {
  readonly max: number
  /** True if entries must ascend, each once. */
  readonly isSorted: boolean
}

/** Reader of entries from pieces. A piece may end within an entry. */
export class EntryReader {
  readonly #entries = new Entries()
  readonly #form: ListRules
  readonly #partial = new Uint8Array(HASH_BYTES)
  #bytes = 0

  constructor(form: ListRules) {
    this.#form = form
  }

  /**
   * Reads a piece. Yields to the event loop even for an empty piece, because a source may have only empty
   * pieces, and promises alone do not let timers run.
   *
   * @throws TypeError for anything but bytes
   * @throws AlvariumError `MESSAGE_MALFORMED`
   */
  async read(piece: Uint8Array): Promise<void> {
    assertBytes(piece, 'source')
    const { length } = piece
    for (let at = 0; at < Math.max(1, length); at += PIECE_BYTES) {
      await callTurns.yieldIfDueLong()
      // Refuse a piece that has shrunk, because the rest of it could pass as a valid list of fewer keys.
      if (piece.length !== length) {
        const got = `${piece.length}: its buffer was transferred or resized`
        throw malformed('list', `a piece that keeps its ${length} bytes until it is read`, got)
      }
      this.#add(piece.subarray(at, at + PIECE_BYTES))
    }
  }

  /** @throws AlvariumError `MESSAGE_MALFORMED` if the last entry is incomplete */
  end(): Entries {
    if (this.#bytes === 0) return this.#entries
    throw malformed('list', `${HASH_BYTES} bytes for each key`, `${this.#bytes} bytes at its end`)
  }

  #add(piece: Uint8Array): void {
    let at = 0
    for (; this.#bytes > 0 && at < piece.length; at++) this.#addByte(piece[at] as number)
    for (; at + HASH_BYTES <= piece.length; at += HASH_BYTES) this.#addEntry(piece, at)
    for (; at < piece.length; at++) this.#addByte(piece[at] as number)
  }

  #addByte(byte: number): void {
    this.#partial[this.#bytes++] = byte
    if (this.#bytes < HASH_BYTES) return
    this.#bytes = 0
    this.#addEntry(this.#partial, 0)
  }

  #addEntry(from: Uint8Array, at: number): void {
    const { max, isSorted } = this.#form
    if (this.#entries.length === max) throw malformed('list', `at most ${max} keys`, 'more')
    if (isSorted) this.#assertAscending(from, at)
    this.#entries.add(from, at)
  }

  #assertAscending(from: Uint8Array, at: number): void {
    const { length } = this.#entries
    if (length === 0 || this.#entries.compare(length - 1, from, at) < 0) return
    throw malformed(
      'list',
      'ascending keys, each once',
      `a key that is not above the key before it, at index ${length}`,
    )
  }
}
