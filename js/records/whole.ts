import { Gathering, type Item, type Splitter } from './splitter.js'

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
