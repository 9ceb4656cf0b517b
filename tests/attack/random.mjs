// Pseudorandom numbers that a seed repeats, so that findings are reproducible.

const TO_32_BITS = 0x1_0000_0000

/** The generator sfc32, by Chris Doty-Humphrey: fast, and good enough for choices. */
export class Random {
  #a
  #b
  #c
  #counter = 1

  /** @param {number} seed @param {number} [stream] a different one for each attack */
  constructor(seed, stream = 0) {
    this.#a = seed >>> 0
    this.#b = Math.floor(seed / TO_32_BITS) >>> 0
    this.#c = stream >>> 0
    for (let round = 0; round < 16; round++) this.next()
  }

  /** Returns the next 32 bits. */
  next() {
    const sum = (this.#a + this.#b + this.#counter++) >>> 0
    this.#a = (this.#b ^ (this.#b >>> 9)) >>> 0
    this.#b = (this.#c + (this.#c << 3)) >>> 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) >>> 0
    return sum
  }

  /** Returns a whole number below a limit. @param {number} limit */
  below(limit) {
    return Math.floor((this.next() / TO_32_BITS) * limit)
  }

  /** @template T @param {readonly T[]} list @returns {T} */
  pick(list) {
    return list[this.below(list.length)]
  }

  /** @param {number} length */
  bytes(length) {
    return Uint8Array.from({ length }, () => this.below(256))
  }

  /** Returns the list in another order. @template T @param {readonly T[]} list */
  shuffled(list) {
    const copy = [...list]
    for (let at = copy.length - 1; at > 0; at--) {
      const other = this.below(at + 1)
      ;[copy[at], copy[other]] = [copy[other], copy[at]]
    }
    return copy
  }

  /** Returns the list in pieces of different lengths. @template T @param {readonly T[]} list @param {number} longest */
  pieces(list, longest) {
    const pieces = []
    for (let at = 0; at < list.length; at += pieces.at(-1).length) {
      pieces.push(list.slice(at, at + 1 + this.below(longest)))
    }
    return pieces
  }
}
