import { isWhite } from '../../foundation/base/text/text.js'
import { type Item, PieceBuffer, RECORD_SEPARATOR, type Splitter, type TextPreamble } from './splitter.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const NEWLINE = 0x0a
const OPEN = 0x5b
const CLOSE = 0x5d

/** Expected input in each state between values, for error texts. In the state `follower`, values are in no array. */
const NEXT = {
  'value or end': 'a value or ]',
  value: 'a value',
  'comma or end': 'a comma or ]',
  end: 'nothing after the end of the array',
  follower: 'a value',
  whole: 'a whole value before the next record separator',
} as const

/**
 * Splits JSON into values, each exactly as written: the items of an array, or consecutive values. Any other
 * text is a fault: otherwise, a text that JSON parsers reject could pass as the signed records. The values
 * themselves are parsed later.
 */
export class JsonValues implements Splitter {
  readonly #value: PieceBuffer
  #next: keyof typeof NEXT | undefined
  #number = 0
  /** Line and column of the current byte. `#begins` is the line in which the current value begins. */
  #line = 1
  #column = 0
  #begins = 1
  #depth = 0
  #isInside = false
  #isText = false
  #isEscaped = false
  #isOver = false
  #isSequence = false

  /** @param maxBytes - maximum length of a value in bytes; longer values are discarded */
  constructor(maxBytes: number) {
    this.#value = new PieceBuffer(maxBytes)
  }

  begin({ lines, isSequence }: TextPreamble): void {
    this.#line += lines
    this.#isSequence = isSequence
    // Read an array as one value if it is an element of a JSON text sequence (RFC 7464).
    if (isSequence) this.#next = 'follower'
  }

  add(piece: Uint8Array): Item[] {
    const items: Item[] = []
    let from = 0
    for (let at = 0; at < piece.length && !this.#isOver; at++) {
      const byte = piece[at] as number
      // Count characters, not bytes: continuation bytes of UTF-8 begin with the bits 10.
      if ((byte & 0xc0) !== 0x80) this.#column++
      if (this.#isSequence && byte === RECORD_SEPARATOR && (this.#depth > 0 || this.#isText)) {
        items.push(this.#fault(byte, 'whole'))
        break
      }
      const end = this.#isInside ? this.#stepInside(byte) : 'before'
      if (end !== 'goes on' && this.#isInside) {
        this.#value.append(piece.subarray(from, end === 'with it' ? at + 1 : at))
        items.push(this.#item())
      }
      if (end === 'before') {
        const fault = this.#stepBetween(byte)
        if (fault) items.push(fault)
        from = at
      }
      if (byte !== NEWLINE) continue
      this.#line++
      this.#column = 0
    }
    if (this.#isInside && !this.#isOver) this.#value.append(piece.subarray(from))
    return items
  }

  /** Returns an item with `isCut` if the input ends inside a value or an array. */
  end(): Item[] {
    if (this.#isOver) return []
    const isOpen = this.#next !== undefined && this.#next !== 'end' && this.#next !== 'follower'
    if (isOpen || this.#depth > 0 || this.#isText)
      return [{ number: this.#number + 1, bytes: undefined, isCut: true }]
    return this.#isInside ? [this.#item()] : []
  }

  #item(): Item {
    this.#isInside = false
    return { number: ++this.#number, line: this.#begins, bytes: this.#value.take() }
  }

  #stepInside(byte: number): 'goes on' | 'with it' | 'before' {
    if (this.#isText) return this.#stepInText(byte)
    if (byte === QUOTE) this.#isText = true
    else if (isOpening(byte)) this.#depth++
    else if (isClosing(byte)) {
      if (this.#depth === 0) return 'before'
      this.#depth--
      return this.#depth === 0 ? 'with it' : 'goes on'
    } else if (this.#depth === 0 && (byte === COMMA || this.#isBetween(byte))) return 'before'
    return 'goes on'
  }

  #stepInText(byte: number): 'goes on' | 'with it' {
    const wasEscaped = this.#isEscaped
    this.#isEscaped = !wasEscaped && byte === BACKSLASH
    if (wasEscaped || byte !== QUOTE) return 'goes on'
    this.#isText = false
    return this.#depth === 0 ? 'with it' : 'goes on'
  }

  #isBetween(byte: number): boolean {
    return isWhite(byte) || (this.#isSequence && byte === RECORD_SEPARATOR)
  }

  /** Begins a value, or handles a byte between values. @returns a fault if the byte is not allowed */
  #stepBetween(byte: number): Item | undefined {
    if (this.#isBetween(byte)) return undefined
    if (this.#next === undefined && byte === OPEN) this.#next = 'value or end'
    else {
      this.#next ??= 'follower'
      const next = this.#nextAfter(byte)
      if (next === undefined) return this.#fault(byte, this.#next)
      this.#next = next
    }
    return undefined
  }

  /** Returns the state after a byte between values; undefined if the byte is not allowed here. */
  #nextAfter(byte: number): keyof typeof NEXT | undefined {
    const next = this.#next
    if (byte === COMMA) return next === 'comma or end' ? 'value' : undefined
    if (byte === CLOSE) return next === 'comma or end' || next === 'value or end' ? 'end' : undefined
    if (isClosing(byte) || next === 'comma or end' || next === 'end') return undefined
    this.#isInside = true
    this.#begins = this.#line
    this.#stepInside(byte)
    return next === 'follower' ? next : 'comma or end'
  }

  #fault(byte: number, next: keyof typeof NEXT): Item {
    this.#isOver = true
    const got = byte > 0x20 && byte < 0x7f ? JSON.stringify(String.fromCharCode(byte)) : `the byte ${byte}`
    const fault = { line: this.#line, column: this.#column, expected: NEXT[next], got }
    return { number: this.#number + 1, bytes: undefined, fault }
  }
}

const isOpening = (byte: number) => byte === 0x7b || byte === OPEN
const isClosing = (byte: number) => byte === 0x7d || byte === CLOSE
