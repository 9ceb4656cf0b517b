const NEWLINE = 0x0a
const RETURN = 0x0d
const QUOTE = 0x22
const COMMA = 0x2c
/** What stands between fields: a comma, or what spreadsheets write where the comma is for decimals. */
const SEPARATORS: readonly number[] = [COMMA, 0x3b, 0x09, 0x7c]

/** A place in a text, from 1; columns are characters. */
export interface TextPosition {
  readonly line: number
  readonly column: number
}

/** What a byte is: the end of a record, a quotation mark in a wrong place, what stands behind half of a line's end, or anything else. */
type QuoteStep = 'end' | 'stray' | 'alone' | 'inside'

/** Follows the quotation marks of a text of CSV (RFC 4180 §2), byte by byte. */
export class CsvQuotes {
  #state: 'start' | 'plain' | 'quoted' | 'closing' | 'return' = 'start'
  /** Until the header has ended, any of them may be the one; and how often each came. */
  #separators = SEPARATORS
  /** Flag of each byte: 1 if it may end a field, a record or a quotation. */
  #means = meaningOf(SEPARATORS)
  readonly #counts = new Map<number, number>()
  #line = 1
  #column = 0
  #opened: TextPosition = { line: 1, column: 1 }
  /** Where the last quotation mark is, or the last carriage return. */
  #last: TextPosition = { line: 1, column: 1 }

  /** Sets what is known before the first byte. @param lines - lines that stood before it */
  begin(lines: number, separator: string | undefined): void {
    this.#line += lines
    if (separator !== undefined) this.#separateBy([separator.charCodeAt(0)])
  }

  /** Separators that count now. */
  get separators(): string {
    return String.fromCharCode(...this.#separators)
  }

  /** What stands between fields, once the header has ended. */
  get separator(): string {
    return String.fromCharCode(this.#separators[0] ?? COMMA)
  }

  /** The line that comes next, from 1. */
  get line(): number {
    return this.#line
  }

  /** Whether the text is between quotation marks, so that it cannot end here. */
  get isOpen(): boolean {
    return this.#state === 'quoted'
  }

  /** Where the quotation mark is that was opened, or is stray, or the carriage return that is alone. */
  get place(): TextPosition {
    return this.isOpen ? this.#opened : this.#last
  }

  /**
   * Steps over bytes that are only a part of a field, which most are, and returns the index of the next one that may be more. A call for
   * each takes three times as long.
   */
  skip(piece: Uint8Array, from: number): number {
    if (this.#state === 'closing' || this.#state === 'return') return from
    let [at, column] = [from, this.#column]
    for (; at < piece.length; at++) {
      const byte = piece[at] as number
      if (this.#means[byte] === 1) break
      if ((byte & 0xc0) !== 0x80) column++
    }
    this.#column = column
    if (at > from && this.#state === 'start') this.#state = 'plain'
    return at
  }

  /** The separator is the one that came most often in the header. */
  endHeader(): void {
    const [most = this.#separators[0] ?? COMMA] = [...this.#counts]
      .sort(([, a], [, b]) => b - a)
      .map(([one]) => one)
    this.#separateBy([most])
  }

  #separateBy(separators: readonly number[]): void {
    this.#separators = separators
    this.#means = meaningOf(separators)
  }

  step(byte: number): QuoteStep {
    // The second and later bytes of a character in UTF-8 begin with 10.
    if ((byte & 0xc0) !== 0x80) this.#column++
    if (this.#state !== 'return' && (byte === RETURN || byte === QUOTE))
      this.#last = { line: this.#line, column: this.#column }
    const step = this.#next(byte)
    if (byte === NEWLINE) {
      this.#line++
      this.#column = 0
    }
    return step
  }

  #next(byte: number): QuoteStep {
    if (this.#state === 'quoted') return this.#inQuotes(byte)
    if (byte === NEWLINE) return this.#endRecord()
    // For some readers it ends a line, for others it is a part of one.
    if (this.#state === 'return') return 'alone'
    if (this.#separators.includes(byte)) return this.#separate(byte)
    if (byte === QUOTE) return this.#quote()
    // Behind the closing quotation mark a field ends, or its line does.
    if (this.#state === 'closing' && byte !== RETURN) return 'stray'
    this.#state = byte === RETURN ? 'return' : 'plain'
    return 'inside'
  }

  #inQuotes(byte: number): QuoteStep {
    if (byte === QUOTE) this.#state = 'closing'
    return 'inside'
  }

  #endRecord(): QuoteStep {
    this.#state = 'start'
    return 'end'
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

function meaningOf(separators: readonly number[]): Uint8Array {
  const means = new Uint8Array(256)
  for (const byte of [NEWLINE, RETURN, QUOTE, ...separators]) means[byte] = 1
  return means
}
