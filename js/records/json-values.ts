import { isWhite } from '../base/text/text.js'
import { type Item, PieceBuffer, RECORD_SEPARATOR, type Splitter, type TextBeginning } from './splitter.js'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const NEWLINE = 0x0a
const OPEN = 0x5b
const CLOSE = 0x5d

/** What may come next outside of a value. Values that follow each other are not an array. */
const NEXT = {
  'value or end': 'a value or ]',
  value: 'a value',
  'comma or end': 'a comma or ]',
  end: 'nothing behind the end of the array',
  follower: 'a value',
  whole: 'a whole value before the next record separator',
} as const

/**
 * The values in a JSON text, each exactly as it stands there: the items of an array, if it begins with one, or values that
 * follow each other. Anything else between or behind them is a fault, and nothing comes after it: otherwise a text that no other reader
 * of JSON takes would have the records of one that was signed. It does not look into the values: those who read them find out whether they are JSON.
 */
export class JsonValues implements Splitter {
  readonly #value: PieceBuffer
  #next: keyof typeof NEXT | undefined
  #number = 0
  /** The place of the byte, and the line that the value begins in. */
  #line = 1
  #column = 0
  #begins = 1
  /** How many braces and brackets of the value are open. */
  #depth = 0
  #isInside = false
  #isText = false
  #isEscaped = false
  #isOver = false
  #isSequence = false

  /** @param most - bytes of a value; of a longer one nothing is kept */
  constructor(most: number) {
    this.#value = new PieceBuffer(most)
  }

  begin({ lines, isSequence }: TextBeginning): void {
    this.#line += lines
    this.#isSequence = isSequence
    // Each text of a sequence is a value, also if it is an array.
    if (isSequence) this.#next = 'follower'
  }

  add(piece: Uint8Array): Item[] {
    const items: Item[] = []
    let from = 0
    for (let at = 0; at < piece.length && !this.#isOver; at++) {
      const byte = piece[at] as number
      // The second and later bytes of a character in UTF-8 begin with 10.
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
      if (byte === NEWLINE) this.#endLine()
    }
    if (this.#isInside && !this.#isOver) this.#value.append(piece.subarray(from))
    return items
  }

  /** A value that was cut off, and an array that was, which nobody is to take for a whole one. */
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

  #endLine(): void {
    this.#line++
    this.#column = 0
  }

  /** Returns whether the value ends with the byte, or before it. */
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

  /** Begins a value, or takes what may stand between values. */
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

  /** What may come behind the byte; nothing if the byte may not come here. */
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

/** A brace or bracket. */
const isOpening = (byte: number) => byte === 0x7b || byte === OPEN
const isClosing = (byte: number) => byte === 0x7d || byte === CLOSE
