import { Gathering, type Item, type Splitter } from './splitter.js'

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
