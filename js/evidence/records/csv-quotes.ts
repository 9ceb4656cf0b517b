const NEWLINE = 0x0a
const RETURN = 0x0d
const QUOTE = 0x22
const COMMA = 0x2c
/** Separators of CSV fields that are recognised: comma, semicolon, tab and vertical bar. */
const SEPARATORS: readonly number[] = [COMMA, 0x3b, 0x09, 0x7c]

/** Position in a text, counted from 1. Columns count characters, not bytes. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** Meaning of a byte: end of a record, misplaced quotation mark, after a lone carriage return, or none of these. */
type QuoteStep = 'end' | 'stray' | 'alone' | 'inside'

/** Follows the quotation marks of a CSV text (RFC 4180 §2), byte by byte. */
export class CsvQuotes {
  #state: 'start' | 'plain' | 'quoted' | 'closing' | 'return' = 'start'
  /** Separators that are still possible. One remains when the header has ended. */
  #separators = SEPARATORS
  /** Flag of each byte value: 1 if such a byte may end a field, a record or a quotation. */
  #isSpecial = specialBytes(SEPARATORS)
  readonly #counts = new Map<number, number>()
  /** Line of the next byte, from 1. */
  line = 1
  #column = 0
  #opened: TextPosition = { line: 1, column: 1 }
  /** Position of the last quotation mark or carriage return. */
  #last: TextPosition = { line: 1, column: 1 }

  /** @param lines - number of lines already removed */
  begin(lines: number, separator: string | undefined): void {
    this.line += lines
    if (separator !== undefined) this.#separateBy([separator.charCodeAt(0)])
  }

  get separators(): string {
    return String.fromCharCode(...this.#separators)
  }

  /** Separator of the fields, once the header has ended. */
  get separator(): string {
    return String.fromCharCode(this.#separators[0] ?? COMMA)
  }

  /** True inside a quoted field, where the CSV text cannot end. */
  get isOpen(): boolean {
    return this.#state === 'quoted'
  }

  /** Position of the unclosed or misplaced quotation mark, or of the lone carriage return. */
  get place(): TextPosition {
    return this.isOpen ? this.#opened : this.#last
  }

  /** Returns the index of the next byte that may be special. Calling `step` for each byte takes three times as long. */
  skip(piece: Uint8Array, from: number): number {
    if (this.#state === 'closing' || this.#state === 'return') return from
    let [at, column] = [from, this.#column]
    for (; at < piece.length; at++) {
      const byte = piece[at] as number
      if (this.#isSpecial[byte] === 1) break
      if ((byte & 0xc0) !== 0x80) column++
    }
    this.#column = column
    if (at > from && this.#state === 'start') this.#state = 'plain'
    return at
  }

  endHeader(): void {
    const [frequent = this.#separators[0] ?? COMMA] = [...this.#counts]
      .sort(([, a], [, b]) => b - a)
      .map(([one]) => one)
    this.#separateBy([frequent])
  }

  #separateBy(separators: readonly number[]): void {
    this.#separators = separators
    this.#isSpecial = specialBytes(separators)
  }

  step(byte: number): QuoteStep {
    // Count characters, not bytes: continuation bytes of UTF-8 begin with the bits 10.
    if ((byte & 0xc0) !== 0x80) this.#column++
    if (this.#state !== 'return' && (byte === RETURN || byte === QUOTE))
      this.#last = { line: this.line, column: this.#column }
    const step = this.#next(byte)
    if (byte === NEWLINE) {
      this.line++
      this.#column = 0
    }
    return step
  }

  #next(byte: number): QuoteStep {
    if (this.#state === 'quoted') {
      if (byte === QUOTE) this.#state = 'closing'
      return 'inside'
    }
    if (byte === NEWLINE) {
      this.#state = 'start'
      return 'end'
    }
    // Some CSV readers end a line at a lone carriage return, others do not.
    if (this.#state === 'return') return 'alone'
    if (this.#separators.includes(byte)) return this.#separate(byte)
    if (byte === QUOTE) return this.#quote()
    // Only a separator or a line end may follow a closing quotation mark.
    if (this.#state === 'closing' && byte !== RETURN) return 'stray'
    this.#state = byte === RETURN ? 'return' : 'plain'
    return 'inside'
  }

  #separate(byte: number): QuoteStep {
    this.#counts.set(byte, (this.#counts.get(byte) ?? 0) + 1)
    this.#state = 'start'
    return 'inside'
  }

  #quote(): QuoteStep {
    if (this.#state !== 'start' && this.#state !== 'closing') return 'stray'
    if (this.#state === 'start') this.#opened = this.#last
    this.#state = 'quoted'
    return 'inside'
  }
}

function specialBytes(separators: readonly number[]): Uint8Array {
  const means = new Uint8Array(256)
  for (const byte of [NEWLINE, RETURN, QUOTE, ...separators]) means[byte] = 1
  return means
}
