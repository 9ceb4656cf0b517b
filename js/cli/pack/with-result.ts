/** What a generator gives, one after the other, and what it comes to at its end. */
export class WithResult<T, R> implements AsyncIterable<T> {
  readonly #from: AsyncGenerator<T, R>
  readonly #onEach: (one: T) => void
  #result: R | undefined

  /** @param onEach - hears of each when it is given */
  constructor(from: AsyncGenerator<T, R>, onEach: (one: T) => void) {
    this.#from = from
    this.#onEach = onEach
  }

  /** What it came to: for who has taken all of it. */
  get result(): R {
    return this.#result as R
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for await (const one of this.#all()) {
      this.#onEach(one)
      yield one
    }
  }

  /** Who takes no more ends the generator, too. */
  async *#all(): AsyncGenerator<T, void> {
    this.#result = yield* this.#from
  }
}
