import { Gathering, type Item, isBlank, type Splitter, withoutReturn } from './splitter.js'

const NEWLINE = 0x0a
const QUOTE = 0x22

/**
 * Records of CSV (RFC 4180), each exactly as it stands in the file, without the end of its line. The first one, which names
 * the columns, is none. A line that ends between quotation marks goes on.
 */
export class CsvRecords implements Splitter {
  readonly #record: Gathering
  #isQuoted = false
  #number = 0

  /** @param most - bytes of a record; of a longer one nothing is kept */
  constructor(most: number) {
    this.#record = new Gathering(most)
  }

  add(piece: Uint8Array): Item[] {
    const items: Item[] = []
    let from = 0
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at]
      // One that stands for itself is doubled, so it does not matter here.
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted
      if (byte !== NEWLINE || this.#isQuoted) continue
      this.#record.append(piece.subarray(from, at))
      items.push(...this.end())
      from = at + 1
    }
    this.#record.append(piece.subarray(from))
    return items
  }

  end(): Item[] {
    const bytes = this.#record.take()
    if (bytes && isBlank(bytes)) return []
    const number = this.#number++
    return number === 0 ? [] : [{ number, bytes: bytes && withoutReturn(bytes) }]
  }
}
