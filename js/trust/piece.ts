/**
 * A text that is searched for in others, in time in proportion to their length whatever both are: by the algorithm of Knuth, Morris and
 * Pratt. What engines have built in can take as long as the product of both lengths.
 */
export class Piece {
  readonly #text: string
  /** For each beginning of the text, by its length: the length of the longest other beginning that it ends with. */
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

  /** Where its first occurrence between two positions ends; -1 without one. */
  endIn(text: string, from: number, until: number): number {
    let length = 0
    for (let at = from; at < until; at++) {
      length = this.#next(length, text.charCodeAt(at))
      if (length === this.#text.length) return at + 1
    }
    return -1
  }

  /** How much of it stands before a position, behind which so much stood before the character there. */
  #next(known: number, code: number): number {
    let length = known
    while (length >= 0 && this.#text.charCodeAt(length) !== code) length = this.#shorter[length] as number
    return length + 1
  }
}
