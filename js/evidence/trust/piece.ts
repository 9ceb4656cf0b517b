/**
 * Text to search for in other texts by the algorithm of Knuth, Morris and Pratt, in time in proportion to the length of
 * the other text. The built-in search can take as long as the product of both lengths.
 */
export class Piece {
  readonly #text: string
  /** Failure function, by the length of a prefix: the length of its longest proper suffix that is a prefix, too. */
  readonly #shorter: Int32Array

  /** @param text - at least one character */
  constructor(text: string) {
    this.#text = text
    this.#shorter = new Int32Array(text.length + 1)
    this.#shorter[0] = -1
    for (let at = 0; at < text.length; at++) {
      this.#shorter[at + 1] = this.#next(this.#shorter[at] as number, text.charCodeAt(at))
    }
  }

  /** Returns the position behind the first occurrence between two positions; -1 without one. */
  endIn(text: string, from: number, until: number): number {
    let length = 0
    for (let at = from; at < until; at++) {
      length = this.#next(length, text.charCodeAt(at))
      if (length === this.#text.length) return at + 1
    }
    return -1
  }

  /**
   * Returns the length of the prefix that ends with this character.
   *
   * @param known - length of the prefix before the character
   */
  #next(known: number, code: number): number {
    let length = known
    while (length >= 0 && this.#text.charCodeAt(length) !== code) length = this.#shorter[length] as number
    return length + 1
  }
}
