import { platform } from '../../platform/platform.js'
import { lastSteadyMs } from './clock.js'

/** For how long work may keep the event loop to itself, in milliseconds. */
const LONGEST_TURN_MS = 8
/** So many go on together, before the clock is looked at again. */
const TOGETHER = 16
/** Microtasks one behind the other, from sealing a call to handing its message to the stream. */
const MICROTASKS = 8
/** Slices that went on are let go of in bulk: to shift one out of very many moves all of the others. */
const DONE = 64

/** Some who wait for the same moment: one promise for all of them, as there may be very many. */
interface Slice {
  readonly goesOn: Promise<void>
  goOn(): void
  size: number
}

/**
 * Divides work that nothing has to wait for, so that timers and sockets get their turn of the event loop: promises alone
 * never let them. What does not fit into a turn waits in order for the next ones.
 */
export class Turns {
  readonly #nextTurn: () => Promise<void>
  readonly #waiting: Slice[] = []
  /** How many of those have gone on. */
  #done = 0
  #isWorking = false
  /** When this turn is over; unknown until somebody works in it. */
  #ends: number | undefined

  /** @param nextTurn - resolves after everything else that waits for the event loop had its turn */
  constructor(nextTurn = (): Promise<void> => platform.nextTurn()) {
    this.#nextTurn = nextTurn
  }

  /**
   * Takes a part of this turn, for a piece of work of less than a millisecond. If this turn has taken long enough, or others
   * wait already: what to await first, behind them.
   */
  take(): Promise<void> | undefined {
    return this.#isTaken() ? this.#wait(1) : undefined
  }

  /** The same for what takes a millisecond or more: nothing else goes on together with it. */
  takeLong(): Promise<void> | undefined {
    return this.#isTaken() ? this.#wait(TOGETHER) : undefined
  }

  /**
   * Whether `take` would have to wait, by the time that the last bundle got. Begins the turn, if nobody works in it yet.
   *
   * To look at the clock for each call of a batch, when each bundle has looked at it, took 2 % of the time.
   */
  mustWait(): boolean {
    if (this.#hasMore) return true
    return this.#ends === undefined ? this.#isOver() : lastSteadyMs() >= this.#ends
  }

  #isTaken(): boolean {
    return this.#hasMore || this.#isOver()
  }

  #wait(size: number): Promise<void> {
    // Slices that went on are gone, or others wait behind them.
    const last = this.#waiting.at(-1)
    const slice = last && last.size + size <= TOGETHER ? last : this.#begin()
    slice.size += size
    return slice.goesOn
  }

  #begin(): Slice {
    let goOn = () => {}
    const goesOn = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const slice = { goesOn, goOn, size: 0 }
    this.#waiting.push(slice)
    if (!this.#isWorking) void this.#work()
    return slice
  }

  /** Whether this turn has taken long enough. It begins with the first who asks. */
  #isOver(): boolean {
    const now = performance.now()
    if (this.#ends === undefined) this.#beginAt(now)
    return now >= (this.#ends as number)
  }

  #beginAt(now: number): void {
    this.#ends = now + LONGEST_TURN_MS
    const over = () => {
      this.#ends = undefined
    }
    // Where it fails, the next who works in a turn asks for it again.
    this.#nextTurn().then(over, over)
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    await this.#nextTurn()
    // Timers that are due come before it, whatever this turn began with.
    await this.#nextTurn()
    while (this.#hasMore) {
      this.#goOn()
      for (let tick = 0; tick < MICROTASKS; tick++) await undefined
      if (this.#hasMore && this.#isOver()) await this.#nextTurn()
    }
    this.#isWorking = false
  }

  get #hasMore(): boolean {
    return this.#done < this.#waiting.length
  }

  /** The next slice goes on; who comes from now on waits in another. */
  #goOn(): void {
    this.#waiting[this.#done++]?.goOn()
    if (this.#hasMore && this.#done < DONE) return
    this.#waiting.splice(0, this.#done)
    this.#done = 0
  }
}

/*
 * Each of its own, as each gives turns in the order in which they were asked for: behind 5,000 calls that wait, a consumer in the same
 * process verified one message a second in place of 34.
 */

/** Of all calls in this thread. */
export const callTurns = new Turns()
/** Of all sources that are read and hashed in this thread. */
export const sourceTurns = new Turns()
/** Of all that verifies in this thread. */
export const verifyTurns = new Turns()
/** Of all that reads keys and policies in this thread: behind the messages of a busy verifier, a revocation came late. */
export const trustTurns = new Turns()
