import { exactText } from '../../foundation/base/text/text.js'
import { CsvQuotes } from './csv-quotes.js'
import {
  type Item,
  isBlank,
  PieceBuffer,
  type Splitter,
  type TextPreamble,
  withoutReturn,
} from './splitter.js'

const EXPECTED_QUOTES = 'quotation marks around whole fields alone, doubled inside of them'
const EXPECTED_LINE_ENDS = 'lines that end with a line feed'

interface CsvForm {
  /** Character between fields. Default: the most frequent of comma, semicolon, tab and vertical bar in the header. */
  readonly separator?: string | undefined
  /** True if the first record names the columns. Default: true. */
  readonly hasHeader?: boolean
}

/**
 * Splits CSV (RFC 4180) into records, each exactly as in the file, without its line end. The header is not yielded.
 * Splitting stops at a misplaced quotation mark or carriage return, because from there on record boundaries are
 * uncertain.
 */
export class CsvRecords implements Splitter {
  readonly #record: PieceBuffer
  readonly #maxBytes: number
  readonly #quotes = new CsvQuotes()
  #number = 0
  #line = 1
  #isOver = false
  /** Header, once complete. It is split only on request, because it may have millions of columns. */
  header: Uint8Array | undefined = new Uint8Array(0)

  readonly #separator: string | undefined
  readonly #hasHeader: boolean

  /** @param maxBytes - maximum length of a record in bytes; longer records are discarded */
  constructor(maxBytes: number, { separator, hasHeader = true }: CsvForm = {}) {
    this.#record = new PieceBuffer(maxBytes)
    this.#maxBytes = maxBytes
    this.#separator = separator
    this.#hasHeader = hasHeader
    this.#quotes.begin(0, separator)
  }

  begin({ lines, separator }: TextPreamble): void {
    this.#quotes.begin(lines, this.#separator ?? separator)
    this.#line += lines
  }

  add(piece: Uint8Array): Item[] {
    const items: Item[] = []
    let from = 0
    for (let at = 0; !this.#isOver; at++) {
      at = this.#quotes.skip(piece, at)
      if (at >= piece.length) break
      const step = this.#quotes.step(piece[at] as number)
      if (step === 'stray')
        items.push(this.#fault(EXPECTED_QUOTES, `a stray quotation mark ${this.#separators}`))
      if (step === 'alone') items.push(this.#fault(EXPECTED_LINE_ENDS, 'a carriage return alone'))
      if (step !== 'end') continue
      if (at > from) this.#record.append(piece.subarray(from, at))
      items.push(...this.#take())
      from = at + 1
    }
    this.#record.append(piece.subarray(from))
    if (!this.#isOver && this.#record.overflows()) items.push(this.#tooLong())
    return items
  }

  end(): Item[] {
    if (this.#isOver) return []
    return this.#quotes.isOpen
      ? [this.#fault(EXPECTED_QUOTES, `a quotation mark that is never closed ${this.#separators}`)]
      : this.#take()
  }

  #take(): Item[] {
    const line = this.#line
    this.#line = this.#quotes.line
    // Return early, because there may be millions of empty lines.
    if (this.#record.isEmpty) return []
    const { isOverflowReported } = this.#record
    const bytes = this.#record.take()
    // Keep a line of tabs if tabs separate fields, because the line is a record of empty fields.
    if (bytes && isBlank(bytes) && !bytes.includes(this.separator.charCodeAt(0))) return []
    const number = this.#number++
    if (number === 0) {
      const faults = this.#endHeader(bytes)
      if (this.#hasHeader || faults.length > 0) return faults
      this.header = undefined
      this.#number++
      return [{ number: 1, line, bytes: bytes && withoutReturn(bytes) }]
    }
    return isOverflowReported ? [] : [{ number, line, bytes: bytes && withoutReturn(bytes) }]
  }

  get separator(): string {
    return this.#quotes.separator
  }

  #endHeader(bytes: Uint8Array | undefined): Item[] {
    this.#quotes.endHeader()
    if (!bytes) return [this.#longHeader()]
    // Copy the header, because a view would keep its whole piece in memory.
    this.header = bytes.slice()
    return []
  }

  /** Reports a record that is too long, or a quotation mark that was never closed. */
  #tooLong(): Item {
    if (this.#quotes.isOpen)
      return this.#fault(EXPECTED_QUOTES, `a quotation mark that is open for ${this.#maxBytes} bytes`)
    if (this.#number > 0) return { number: this.#number, line: this.#line, bytes: undefined }
    return this.#longHeader()
  }

  #longHeader(): Item {
    return this.#fault(`a header of at most ${this.#maxBytes} bytes`, 'a longer header')
  }

  #fault(expected: string, got: string): Item {
    this.#isOver = true
    const { line, column } = this.#quotes.place
    return { number: this.#number, bytes: undefined, fault: { line, column, expected, got } }
  }

  /**
   * Text that names the separator in errors, because a wrong one makes correct quotation marks look
   * misplaced.
   */
  get #separators(): string {
    const separators = this.#quotes.separators.replace('\t', '\\t')
    return `(separator: ${separators.length > 2 ? `one of ${separators}` : separators})`
  }
}

const QUOTE = 0x22

/** Yields the raw fields of a record without misplaced quotation marks (RFC 4180 §2). */
export function* fieldsOf(record: Uint8Array, separator: string): Generator<Uint8Array, void> {
  const bytes = withoutReturn(record)
  const between = separator.charCodeAt(0)
  for (let at = 0; at <= bytes.length; at++) {
    const start = at
    at = bytes[at] === QUOTE ? endOfQuotes(bytes, at) : endOf(bytes, between, at)
    yield bytes.subarray(start, at)
  }
}

/** Returns the text without quotation marks. */
export function fieldText(field: Uint8Array): string {
  return field[0] === QUOTE ? decodeText(field.subarray(1, -1)).replaceAll('""', '"') : decodeText(field)
}

function endOf(bytes: Uint8Array, byte: number, from: number): number {
  const end = bytes.indexOf(byte, from)
  return end < 0 ? bytes.length : end
}

/** Returns the index after the closing quotation mark of a field. Two marks in a row stand for one in the text. */
function endOfQuotes(bytes: Uint8Array, from: number): number {
  let end = bytes.indexOf(QUOTE, from + 1)
  while (end >= 0 && bytes[end + 1] === QUOTE) end = bytes.indexOf(QUOTE, end + 2)
  return end < 0 ? bytes.length : end + 1
}

/**
 * Decodes UTF-8, or else Latin-1, because replacement characters would make different values equal.
 * Windows-1252 is missing or incorrect on some platforms.
 */
function decodeText(bytes: Uint8Array): string {
  try {
    return exactText(bytes)
  } catch {
    return latin1(bytes)
  }
}

function latin1(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += MAX_ARGUMENTS) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + MAX_ARGUMENTS)))
  }
  return parts.join('')
}

const MAX_ARGUMENTS = 8192
