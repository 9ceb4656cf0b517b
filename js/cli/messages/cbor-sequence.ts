import { type Item, PieceBuffer, type Splitter } from '../../evidence/records/splitter.js'
import { isCbor } from './forms.js'

/**
 * Splitter of a CBOR sequence (RFC 8742) into messages. Reads only lengths. Bytes without a known end, such
 * as an item of indefinite length, become one message with all remaining bytes: the decoder reports the fault.
 */
export class CborSequence implements Splitter {
  readonly #message: PieceBuffer
  #number = 0
  /** Number of nested items that are still missing from the message. */
  #items = 1
  /** Number of bytes that are still missing from a text or byte string. */
  #bytes = 0
  #major = 0
  #argument = 0
  /** Number of bytes that are still missing from the argument of a head (RFC 8949 §3). */
  #argumentBytes = 0
  #hasEnd = true

  constructor(maxBytes: number) {
    this.#message = new PieceBuffer(maxBytes)
  }

  add(piece: Uint8Array): Item[] {
    const items: Item[] = []
    let from = 0
    for (let at = 0; at < piece.length && this.#hasEnd; ) {
      if (this.#message.isEmpty && from === at && !isCbor(piece.subarray(at))) this.#hasEnd = false
      else at = this.#step(piece, at)
      if (!this.#isWhole) continue
      this.#message.append(piece.subarray(from, at))
      items.push(this.#item())
      from = at
    }
    this.#message.append(piece.subarray(from))
    if (this.#message.overflows()) items.push({ number: this.#number + 1, bytes: undefined })
    return items
  }

  end(): Item[] {
    if (this.#message.isEmpty || this.#message.isOverflowReported) return []
    return this.#hasEnd ? [{ number: this.#number + 1, bytes: undefined, isCut: true }] : [this.#item()]
  }

  get #isWhole(): boolean {
    return this.#items === 0 && this.#bytes === 0 && this.#argumentBytes === 0
  }

  #item(): Item {
    this.#items = 1
    return { number: ++this.#number, bytes: this.#message.take() }
  }

  /** Reads some bytes of a head or a string. Returns the offset after them. */
  #step(piece: Uint8Array, at: number): number {
    if (this.#bytes > 0) {
      const byteCount = Math.min(this.#bytes, piece.length - at)
      this.#bytes -= byteCount
      return at + byteCount
    }
    const byte = piece[at] as number
    if (this.#argumentBytes > 0) {
      this.#argument = this.#argument * 256 + byte
      this.#argumentBytes--
    } else this.#beginHead(byte)
    if (this.#hasEnd && this.#argumentBytes === 0) this.#endHead()
    return at + 1
  }

  /** Reads the first byte of a head (RFC 8949 §3): the major type, and the argument or its length. */
  #beginHead(byte: number): void {
    const short = byte & 31
    this.#major = byte >> 5
    if (short > 27) this.#hasEnd = false
    else if (short > 23) this.#argumentBytes = 1 << (short - 24)
    this.#argument = short > 23 ? 0 : short
  }

  #endHead(): void {
    const parts = [0, 0, 0, 0, this.#argument, 2 * this.#argument, 1, 0][this.#major] as number
    this.#items += parts - 1
    if (this.#major === 2 || this.#major === 3) this.#bytes = this.#argument
  }
}
