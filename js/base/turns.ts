/** For how long calls may keep the event loop to themselves, in milliseconds. */
const LONGEST_TURN_MS = 20

/**
 * Sees to it that calls in a loop, of which none has to wait for anything, let timers and sockets have their turn:
 * promises alone never do.
 */
export class Turns {
  readonly #nextTurn: () => Promise<void>
  #next: Promise<void> | undefined
  #began = 0

  constructor(nextTurn: () => Promise<void>) {
    this.#nextTurn = nextTurn
  }

  /** When the next turn begins, if this one has taken long enough: to be awaited. */
  get over(): Promise<void> | undefined {
    if (this.#next) return performance.now() - this.#began < LONGEST_TURN_MS ? undefined : this.#next
    this.#began = performance.now()
    this.#next = this.#nextTurn().then(() => {
      this.#next = undefined
    })
    return undefined
  }
}
