import { type Item, PieceBuffer, type Splitter } from './splitter.js'

const PREFIX_BYTES = 4
const NO_BYTES = new Uint8Array()

/** Splits records. Each is preceded by its length, a big-endian `uint32`. */
export class LengthPrefixedRecords implements Splitter {
  readonly #maxBytes: number
  readonly #part: PieceBuffer
  /** Number of bytes that the current prefix or record still lacks. */
  #missing = PREFIX_BYTES
  #isInPrefix = true
  #number = 1

  /** @param maxBytes - maximum length of a record in bytes; a prefix with a larger length is refused at once */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
    this.#part = new PieceBuffer(maxBytes)
  }

  add(piece: Uint8Array): Item[] {
    const items: Item[] = []
    let from = 0
    while (piece.length - from >= this.#missing && this.#missing <= this.#maxBytes) {
      this.#part.append(piece.subarray(from, from + this.#missing))
      from += this.#missing
      const item = this.#itemOf(this.#part.take() ?? NO_BYTES)
      if (item) items.push(item)
    }
    this.#part.append(piece.subarray(from))
    this.#missing -= piece.length - from
    return items
  }

  end(): Item[] {
    const isComplete = this.#isInPrefix && this.#part.isEmpty
    return isComplete ? [] : [{ number: this.#number, bytes: undefined, isCut: true }]
  }

  /** Returns an item for a record; for a length prefix, only if the record is too long. */
  #itemOf(bytes: Uint8Array): Item | undefined {
    this.#isInPrefix = !this.#isInPrefix
    this.#missing = this.#isInPrefix
      ? PREFIX_BYTES
      : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0)
    if (this.#isInPrefix) return { number: this.#number++, bytes }
    return this.#missing > this.#maxBytes ? { number: this.#number, bytes: undefined } : undefined
  }
}
