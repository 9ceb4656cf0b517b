/** The first few of very many, in order, and how many there were in all. Sorting all of them would hold the event loop. */
export class Foremost<T> {
  readonly #most: number
  readonly #order: (one: T, other: T) => number
  #some: T[] = []
  #count = 0

  constructor(most: number, order: (one: T, other: T) => number) {
    this.#most = most
    this.#order = order
  }

  add(one: T): void {
    this.#count++
    this.#some.push(one)
    if (this.#some.length >= 4 * this.#most) this.#shorten()
  }

  /** How many there were. */
  get count(): number {
    return this.#count
  }

  /** The first of them, in order. */
  sorted(): readonly T[] {
    this.#shorten()
    return this.#some
  }

  #shorten(): void {
    this.#some = this.#some.sort(this.#order).slice(0, this.#most)
  }
}
