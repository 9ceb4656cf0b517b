/** The first few of very many values, in order, and the number of all. Sorting all of them would block the event loop. */
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

  /** Number of all values. */
  get count(): number {
    return this.#count
  }

  /** Returns the first values, in order. */
  sorted(): readonly T[] {
    this.#shorten()
    return this.#some
  }

  #shorten(): void {
    this.#some = this.#some.sort(this.#order).slice(0, this.#most)
  }
}
