import { type Item, PieceBuffer, type Splitter } from './splitter.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const NEWLINE = 0x0a

/**
 * The values in a JSON text, each exactly as it stands there: the items of an array, if it begins with one, or values that
 * follow each other. It looks for where they end and at nothing else: whether they are JSON, those find out who read them.
 */
export class JsonValues implements Splitter {
  /** How deep the values are: 1 in an array, and 0 again behind it, where whatever comes is a value too. */
  #level: number | undefined
  readonly #value: PieceBuffer
  #number = 0
  /** The line of the byte, and the one that the value begins in. */
  #line = 1
  #begins = 1
  #depth = 0
  #isInside = false
  #isText = false
  #isEscaped = false

  /** @param most - bytes of a value; of a longer one nothing is kept */
  constructor(most: number) {
    this.#value = new PieceBuffer(most)
  }

  add(piece: Uint8Array): Item[] {
    const items: Item[] = []
    let from = 0
    for (let at = 0; at < piece.length; at++) {
      const wasInside = this.#isInside
      const isLast = this.#step(piece[at] as number)
      if (!wasInside && this.#isInside) {
        from = at
        this.#begins = this.#line
      }
      if (piece[at] === NEWLINE) this.#line++
      if (!wasInside || this.#isInside) continue
      this.#value.append(piece.subarray(from, isLast ? at + 1 : at))
      items.push(this.#item())
    }
    if (this.#isInside) this.#value.append(piece.subarray(from))
    return items
  }

  /** A value that was cut off, and an array that was, which nobody is to take for a whole one. */
  end(): Item[] {
    if (this.#depth > 0 || this.#isText) return [{ number: this.#number + 1, bytes: undefined, isCut: true }]
    return this.#isInside ? [this.#item()] : []
  }

  #item(): Item {
    this.#isInside = false
    return { number: ++this.#number, line: this.#begins, bytes: this.#value.take() }
  }

  /** Whether the byte belongs to the value that ends with it. */
  #step(byte: number): boolean {
    if (this.#isText) return this.#stepInText(byte)
    if (byte === COMMA || isSpace(byte)) {
      if (this.#depth === this.#level) this.#isInside = false
      return false
    }
    if (isClosing(byte)) return this.#close()
    this.#level ??= byte === BRACKET ? 1 : 0
    if (this.#depth >= this.#level) this.#isInside = true
    this.#isText = byte === QUOTE
    if (isOpening(byte)) this.#depth++
    return false
  }

  #stepInText(byte: number): boolean {
    const wasEscaped = this.#isEscaped
    this.#isEscaped = !wasEscaped && byte === BACKSLASH
    if (wasEscaped || byte !== QUOTE) return false
    this.#isText = false
    if (this.#depth !== this.#level) return false
    this.#isInside = false
    return true
  }

  #close(): boolean {
    const level = this.#level ?? 0
    const isOfValue = this.#depth > level
    this.#depth = Math.max(0, this.#depth - 1)
    if (this.#depth > level) return false
    this.#isInside = false
    if (!isOfValue) this.#level = 0
    return isOfValue
  }
}

const BRACKET = 0x5b

const isSpace = (byte: number) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
/** A brace or bracket. */
const isOpening = (byte: number) => byte === 0x7b || byte === 0x5b
const isClosing = (byte: number) => byte === 0x7d || byte === 0x5d
