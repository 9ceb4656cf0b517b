import { STEP } from './subsequences.js'

/** Growing list of numbers of eight bytes each, or four in an `Int32Array`. */
export class NumberList {
  #numbers: Float64Array | Int32Array
  #length = 0

  /** @param Kind - `Int32Array` if all numbers fit into 32 bits */
  constructor(Kind: Float64ArrayConstructor | Int32ArrayConstructor = Float64Array) {
    this.#numbers = new Kind(64)
  }

  get length(): number {
    return this.#length
  }

  at(place: number): number {
    return this.#numbers[place] as number
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) this.#grow()
    this.#numbers[this.#length++] = number
  }

  /** View of all numbers, valid until the next `push`. */
  get all(): Float64Array | Int32Array {
    return this.#numbers.subarray(0, this.#length)
  }

  /** @param order - previous place of the number for each new place */
  *reorder(order: Uint32Array): Generator<void, void> {
    const before = this.#numbers.slice(0, this.#length)
    for (const [at, place] of order.entries()) {
      if (at % STEP === 0) yield
      this.#numbers[at] = before[place] as number
    }
  }

  #grow(): void {
    const Kind = this.#numbers.constructor as Float64ArrayConstructor
    const larger = new Kind(2 * this.#length)
    larger.set(this.#numbers)
    this.#numbers = larger
  }
}
