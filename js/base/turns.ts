/** For how long work may keep the event loop to itself, in milliseconds. */
const LONGEST_TURN_MS = 10
/** Work goes on for so long, or for so many pieces, before what follows from it in microtasks gets its time as well. */
const SLICE = { ms: 2, pieces: 193 }
/** Microtasks one behind the other, from sealing a call to handing its message to the stream. */
const MICROTASKS = 8
/** Pieces that are done with are let go of in bulk. */
const DONE = 1024

/**
 * Divides work that nothing has to wait for, so that timers and sockets get their turn of the event loop: promises alone
 * never let them. What does not fit into a turn waits in order for the next ones.
 *
 * @param nextTurn - resolves after everything else that waits for the event loop had its turn
 */
export class Turns {
  readonly #nextTurn: () => Promise<void>
  #waiting: (() => void)[] = []
  /** How many of those are done. */
  #done = 0
  #isWorking = false
  /** When this turn is over; unknown until somebody works in it. */
  #ends: number | undefined

  constructor(nextTurn: () => Promise<void>) {
    this.#nextTurn = nextTurn
  }

  /** Whether this turn has taken long enough, or others wait already: what comes now goes behind them. */
  get isOver(): boolean {
    return this.#hasMore || performance.now() >= this.#end()
  }

  /** When there is time again, if this turn has taken long enough: to be awaited. */
  get over(): Promise<void> | undefined {
    return this.isOver ? new Promise((resolve) => this.later(resolve)) : undefined
  }

  /** Does a piece of work in a later turn, after all that waits already. It must not throw. */
  later(piece: () => void): void {
    this.#waiting.push(piece)
    if (!this.#isWorking) void this.#work()
  }

  get #hasMore(): boolean {
    return this.#done < this.#waiting.length
  }

  /** Begins the turn, for the first who works in it. */
  #end(): number {
    if (this.#ends === undefined) {
      this.#ends = performance.now() + LONGEST_TURN_MS
      void this.#nextTurn().then(() => {
        this.#ends = undefined
      })
    }
    return this.#ends
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    await this.#nextTurn()
    while (this.#hasMore) {
      this.#slice()
      for (let tick = 0; tick < MICROTASKS; tick++) await undefined
      if (this.#hasMore && performance.now() >= this.#end()) await this.#nextTurn()
    }
    this.#isWorking = false
  }

  #slice(): void {
    const until = performance.now() + SLICE.ms
    for (let piece = 0; piece < SLICE.pieces && this.#hasMore; piece++) {
      this.#waiting[this.#done++]?.()
      if (performance.now() >= until) break
    }
    if (this.#hasMore && this.#done < DONE) return
    this.#waiting.splice(0, this.#done)
    this.#done = 0
  }
}
