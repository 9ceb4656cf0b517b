/** Generator as an iterable that keeps its return value. */
export class ResultIterable<T, R> implements AsyncIterable<T> {
  readonly #from: AsyncGenerator<T, R>
  readonly #onEach: (one: T) => void
  #result: R | undefined

  /** @param onEach - called with each value before it is yielded */
  constructor(from: AsyncGenerator<T, R>, onEach: (one: T) => void) {
    this.#from = from
    this.#onEach = onEach
  }

  /** Return value of the generator, after all values were read. */
  get result(): R {
    return this.#result as R
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for await (const one of this.#all()) {
      this.#onEach(one)
      yield one
    }
  }

  /** Delegates to the generator with `yield*`, so that a reader that stops early also ends it. */
  async *#all(): AsyncGenerator<T, void> {
    this.#result = yield* this.#from
  }
}
