import { Tally } from '../base/time/tally.js'

/** A place in the order in which they came. */
export interface Spot {
  /** Resolves when all who came before have left; undefined if there were none. */
  readonly before: Promise<void> | undefined
  /** Lets the next one go on, once all before it have left. */
  leave(): void
}

/** Keeps an order: each waits for something of its own, and all go on in the order in which they came. */
export class Turnstile {
  readonly #inside = new Tally()
  /** Resolves when all who are in it have left. */
  #last: Promise<void> | undefined

  get isEmpty(): boolean {
    return this.#inside.count === 0
  }

  /** Resolves when nobody is in it. */
  empty(): Promise<void> {
    return this.#inside.none()
  }

  join(): Spot {
    const before = this.#last
    let goOn = (_before: Promise<void> | undefined): void => {}
    this.#last = new Promise<void>((resolve) => {
      goOn = resolve as typeof goOn
    })
    this.#inside.begin()
    const leave = () => {
      // Who gives up early lets nobody overtake: those behind still wait for those before.
      goOn(before)
      this.#inside.end()
      if (this.isEmpty) this.#last = undefined
    }
    return { before, leave }
  }
}
