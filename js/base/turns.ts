/** For how long work may keep the event loop to itself, in milliseconds. */
const LONGEST_TURN_MS = 8
/** So many go on together, before the clock is looked at again. */
const TOGETHER = 16
/** Microtasks one behind the other, from sealing a call to handing its message to the stream. */
const MICROTASKS = 8
/** Groups that are done with are let go of in bulk. */
const DONE = 64

/** Some who wait for the same moment: one promise for all of them, as there may be very many. */
interface Group {
  goesOn: Promise<void>
  goOn(): void
  size: number
}

/**
 * Divides work that nothing has to wait for, so that timers and sockets get their turn of the event loop: promises alone
 * never let them. What does not fit into a turn waits in order for the next ones.
 *
 * @param nextTurn - resolves after everything else that waits for the event loop had its turn
 */
export class Turns {
  readonly #nextTurn: () => Promise<void>
  #waiting: Group[] = []
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
    return this.isOver ? this.#later(1) : undefined
  }

  /** The same for what takes a millisecond or more: nothing else goes on together with it. */
  get overForLong(): Promise<void> | undefined {
    return this.isOver ? this.#later(TOGETHER) : undefined
  }

  #later(size: number): Promise<void> {
    // Groups that went on are gone, or others wait behind them.
    const last = this.#waiting.at(-1)
    const group = last && last.size + size <= TOGETHER ? last : this.#begin()
    group.size += size
    return group.goesOn
  }

  #begin(): Group {
    const group: Partial<Group> = { size: 0 }
    group.goesOn = new Promise((resolve) => {
      group.goOn = resolve
    })
    this.#waiting.push(group as Group)
    if (!this.#isWorking) void this.#work()
    return group as Group
  }

  get #hasMore(): boolean {
    return this.#done < this.#waiting.length
  }

  /** Begins the turn, for the first who works in it. */
  #end(): number {
    if (this.#ends === undefined) {
      this.#ends = performance.now() + LONGEST_TURN_MS
      const over = () => {
        this.#ends = undefined
      }
      // Where it fails, the next who works in a turn asks for it again.
      this.#nextTurn().then(over, over)
    }
    return this.#ends
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    await this.#nextTurn()
    // Timers that are due come before it, whatever this turn began with.
    await this.#nextTurn()
    while (this.#hasMore) {
      this.#goOn()
      for (let tick = 0; tick < MICROTASKS; tick++) await undefined
      if (this.#hasMore && performance.now() >= this.#end()) await this.#nextTurn()
    }
    this.#isWorking = false
  }

  /** The next group goes on; who comes from now on waits in another. */
  #goOn(): void {
    this.#waiting[this.#done++]?.goOn()
    if (this.#hasMore && this.#done < DONE) return
    this.#waiting.splice(0, this.#done)
    this.#done = 0
  }
}
