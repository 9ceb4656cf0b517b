import { CsvQuotes } from './csv-quotes.js'
import { type Item, isBlank, PieceBuffer, type Splitter, withoutReturn } from './splitter.js'

const QUOTED = 'quotation marks around whole fields alone, doubled inside of them'
const ENDED = 'lines that end with a line feed'

/**
 * Records of CSV (RFC 4180), each exactly as it stands in the file, without the end of its line. The first one, which names
 * the columns, is none. A line that ends between quotation marks goes on. Where a quotation mark or a carriage return is in
 * a place that leaves open how many records there are, that place is told, and nothing comes after it.
 */
export class CsvRecords implements Splitter {
  readonly #record: PieceBuffer
  readonly #quotes = new CsvQuotes()
  #number = 0
  /** The line that the record begins in. */
  #line = 1
  #isOver = false
  /** Names the columns, once it has ended. There may be millions of them, and nobody may ask for any. */
  header: Uint8Array = new Uint8Array(0)

  /** @param most - bytes of a record; of a longer one nothing is kept */
  constructor(most: number) {
    this.#record = new PieceBuffer(most)
  }

  add(piece: Uint8Array): Item[] {
    const items: Item[] = []
    let from = 0
    for (let at = 0; at < piece.length && !this.#isOver; at++) {
      const step = this.#quotes.step(piece[at] as number)
      if (step === 'stray') items.push(this.#fault(QUOTED, 'a stray quotation mark'))
      if (step === 'alone') items.push(this.#fault(ENDED, 'a carriage return alone'))
      if (step !== 'end') continue
      if (at > from) this.#record.append(piece.subarray(from, at))
      items.push(...this.#take())
      from = at + 1
    }
    this.#record.append(piece.subarray(from))
    return items
  }

  end(): Item[] {
    if (this.#isOver) return []
    return this.#quotes.isOpen ? [this.#fault(QUOTED, 'a quotation mark that is never closed')] : this.#take()
  }

  #take(): Item[] {
    const line = this.#line
    this.#line = this.#quotes.line
    // There may be millions of empty lines.
    if (this.#record.isEmpty) return []
    const bytes = this.#record.take()
    // Of tabs alone, it is a record of empty fields where tabs are between them.
    if (bytes && isBlank(bytes) && !bytes.includes(this.separator.charCodeAt(0))) return []
    const number = this.#number++
    if (number === 0) this.#endHeader(bytes)
    return number === 0 ? [] : [{ number, line, bytes: bytes && withoutReturn(bytes) }]
  }

  /** What stands between the fields of a record. */
  get separator(): string {
    return this.#quotes.separator
  }

  #endHeader(bytes: Uint8Array | undefined): void {
    this.#quotes.endHeader()
    // Of a piece that came, more than the header would be kept.
    if (bytes) this.header = bytes.slice()
  }

  #fault(expected: string, got: string): Item {
    this.#isOver = true
    const { line, column } = this.#quotes.place
    return { number: this.#number, bytes: undefined, fault: { line, column, expected, got } }
  }
}

const decoder = new TextDecoder()
const QUOTE = '"'

/** The fields of a record of CSV in which all quotation marks are in their places (RFC 4180 §2). */
export function* fieldsOf(record: Uint8Array, separator: string): Generator<string, void> {
  const text = decoder.decode(withoutReturn(record))
  for (let at = 0; at <= text.length; at++) {
    const start = at
    at = text[at] === QUOTE ? behindQuotes(text, at) : endOf(text, separator, at)
    yield text[start] === QUOTE
      ? text.slice(start + 1, at - 1).replaceAll('""', QUOTE)
      : text.slice(start, at)
  }
}

function endOf(text: string, separator: string, from: number): number {
  const end = text.indexOf(separator, from)
  return end < 0 ? text.length : end
}

/** Behind the mark that closes the field: two of them stand for one. */
function behindQuotes(text: string, from: number): number {
  let end = text.indexOf(QUOTE, from + 1)
  while (text[end + 1] === QUOTE) end = text.indexOf(QUOTE, end + 2)
  return end < 0 ? text.length : end + 1
}
