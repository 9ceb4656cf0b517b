import { Gathering, type Item, isBlank, type Splitter, withoutReturn } from './splitter.js'

const NEWLINE = 0x0a

/** Lines, without what ends them; empty ones are passed over. */
export class Lines implements Splitter {
  readonly #line: Gathering
  #number = 1

  /** @param most - bytes of a line; of a longer one nothing is kept */
  constructor(most: number) {
    this.#line = new Gathering(most)
  }

  add(piece: Uint8Array): Item[] {
    const items: Item[] = []
    let from = 0
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, from)) {
      this.#line.append(piece.subarray(from, at))
      items.push(...this.end())
      this.#number++
      from = at + 1
    }
    this.#line.append(piece.subarray(from))
    return items
  }

  end(): Item[] {
    const bytes = this.#line.take()
    if (bytes && isBlank(bytes)) return []
    return [{ number: this.#number, line: this.#number, bytes: bytes && withoutReturn(bytes) }]
  }
}
