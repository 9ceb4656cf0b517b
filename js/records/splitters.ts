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

/** Pieces of one size; the last one is what was left. */
export class Chunks implements Splitter {
  readonly #size: number
  readonly #chunk: Gathering
  #missing: number
  #number = 0

  /** @param size - bytes of a chunk */
  constructor(size: number) {
    this.#size = size
    this.#missing = size
    this.#chunk = new Gathering(size)
  }

  add(piece: Uint8Array): Item[] {
    const items: Item[] = []
    let from = 0
    while (piece.length - from >= this.#missing) {
      this.#chunk.append(piece.subarray(from, from + this.#missing))
      from += this.#missing
      items.push(this.#item())
    }
    this.#chunk.append(piece.subarray(from))
    this.#missing -= piece.length - from
    return items
  }

  end(): Item[] {
    return this.#missing < this.#size ? [this.#item()] : []
  }

  #item(): Item {
    this.#missing = this.#size
    return { number: ++this.#number, bytes: this.#chunk.take() }
  }
}

/** All that comes, as one item: also nothing. */
export class Whole implements Splitter {
  readonly #all: Gathering
  #left: number

  /** @param most - bytes of it; what has more is told at once */
  constructor(most: number) {
    this.#all = new Gathering(most)
    this.#left = most
  }

  add(piece: Uint8Array): Item[] {
    this.#all.append(piece)
    this.#left -= piece.length
    return this.#left < 0 ? [{ number: 1, bytes: undefined }] : []
  }

  end(): Item[] {
    return [{ number: 1, bytes: this.#all.take() }]
  }
}
