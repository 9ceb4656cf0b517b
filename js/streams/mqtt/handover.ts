interface Given<T> {
  readonly item: T
  readonly done: () => void
}

interface Waiting<T> {
  resolve(result: IteratorResult<T, undefined>): void
  reject(error: unknown): void
}

/**
 * Hands items from a producer that can wait to one consumer that asks. The producer hears `done` when the
 * consumer asks for the next item, which is when it has finished with this one.
 */
export class Handover<T> {
  readonly #given: Given<T>[] = []
  readonly #waiting: Waiting<T>[] = []
  #inHand: (() => void) | undefined
  #error: { readonly reason: unknown } | undefined
  ended = false

  /** Whether the producer is waiting for the consumer. */
  get full(): boolean {
    return this.#given.length > 0 || this.#inHand !== undefined
  }

  /** A producer that waits for `done` keeps one item here at most. */
  give(item: T, done: () => void): void {
    if (this.ended) return
    const consumer = this.#waiting.shift()
    if (!consumer) {
      this.#given.push({ item, done })
      return
    }
    consumer.resolve({ done: false, value: item })
    if (this.#waiting.length > 0) done()
    else this.#inHand = done
  }

  take(): Promise<IteratorResult<T, undefined>> {
    const finished = this.#inHand
    this.#inHand = undefined
    finished?.()
    const given = this.#given.shift()
    if (given) {
      this.#inHand = given.done
      return Promise.resolve({ done: false, value: given.item })
    }
    if (this.ended) return this.#last()
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  /** No more items: consumers get the end, or the error once. Items not yet taken go back to the broker. */
  end(error?: unknown): void {
    if (this.ended) return
    this.ended = true
    if (error !== undefined) this.#error = { reason: error }
    this.#given.length = 0
    this.#inHand = undefined
    for (const consumer of this.#waiting.splice(0)) this.#last().then(consumer.resolve, consumer.reject)
  }

  #last(): Promise<IteratorResult<T, undefined>> {
    const error = this.#error
    this.#error = undefined
    return error ? Promise.reject(error.reason) : Promise.resolve({ done: true, value: undefined })
  }
}
