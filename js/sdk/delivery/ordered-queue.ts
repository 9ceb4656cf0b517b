import { Tally } from '../../foundation/base/time/tally.js'

/** Entry of an {@link OrderedQueue}. */
export interface QueueEntry {
  /** Promise that resolves when all earlier entries have left; undefined if there are none. */
  readonly before: Promise<void> | undefined
  /** Removes the entry. The next entry continues once all earlier entries have left. */
  leave(): void
}

/** Queue in which each entry waits for its own event, and all continue in the order of joining. */
export class OrderedQueue {
  readonly #inside = new Tally()
  /** Promise that resolves when all entries in the queue have left. */
  #last: Promise<void> | undefined

  get isEmpty(): boolean {
    return this.#inside.count === 0
  }

  /** Waits until the queue is empty. */
  empty(): Promise<void> {
    return this.#inside.none()
  }

  join(): QueueEntry {
    const before = this.#last
    let goOn = (_before: Promise<void> | undefined): void => {}
    this.#last = new Promise<void>((resolve) => {
      goOn = resolve as typeof goOn
    })
    this.#inside.begin()
    const leave = () => {
      // An entry may leave before earlier entries: later entries still wait for those.
      goOn(before)
      this.#inside.end()
      if (this.isEmpty) this.#last = undefined
    }
    return { before, leave }
  }
}
