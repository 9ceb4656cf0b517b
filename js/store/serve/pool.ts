import type { Store } from '../store.js'
import { Refused } from './problem.js'

/** Stores that answer at the same time, each one question after the other. */
export class StorePool {
  readonly #waiting: Map<Store, number>
  readonly #most: number

  /** @param most - so many may wait, or be answered, at all of them */
  constructor(stores: readonly Store[], most: number) {
    this.#waiting = new Map(stores.map((store) => [store, 0]))
    this.#most = most
  }

  /**
   * Asks the store at which the fewest wait.
   *
   * @throws Refused when too many do
   */
  async ask<T>(question: (store: Store) => Promise<T>): Promise<T> {
    const all = [...this.#waiting]
    if (all.reduce((sum, [, count]) => sum + count, 0) >= this.#most) {
      const detail = 'more requests wait than may: retry later'
      throw new Refused(503, detail, { 'retry-after': '1' }, 'QUEUE_FULL')
    }
    const [store, count] = all.reduce((least, one) => (one[1] < least[1] ? one : least))
    this.#waiting.set(store, count + 1)
    try {
      return await question(store)
    } finally {
      this.#waiting.set(store, (this.#waiting.get(store) as number) - 1)
    }
  }
}
