import { Tally } from '../base/time/tally.js'

/** A place in the order in which they came. */
export interface Spot {
  /** Resolves when all who were there before have left; nobody was, if there is none. */
  readonly before: Promise<void> | undefined
  /** Lets the next one go on, unless there are others before. */
  leave(): void
}

/** Those who wait for something each, and go on in the order in which they came, whoever has it first. */
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
      // Who gives up in the middle leaves those behind to wait for those before.
      goOn(before)
      this.#inside.end()
      if (this.isEmpty) this.#last = undefined
    }
    return { before, leave }
  }
}
