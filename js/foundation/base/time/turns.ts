import { platform } from '../../platform/platform.js'
import { lastSteadyMs } from './clock.js'

/** Maximum time in milliseconds without yielding to the event loop. */
const MAX_TURN_MS = 8
/** Number of waiters that continue before the clock is read again. */
const WAITERS_PER_SLICE = 16
/** Number of consecutive microtasks from sealing a call to publishing its message to the stream. */
const MICROTASKS = 8
/**
 * Number of finished slices that are removed in one splice: removing the first of a long array moves all
 * others.
 */
const MIN_REMOVED_SLICES = 64

/** Waiters that continue at the same time. They share one promise, because there may be very many. */
interface Slice {
  readonly goesOn: Promise<void>
  goOn(): void
  size: number
}

/**
 * Scheduler of work that has no waits of its own. It yields to timers and sockets, which promises alone do
 * not. Work that does not fit into a turn waits in order for the next ones.
 */
export class Turns {
  readonly #nextTurn: () => Promise<void>
  readonly #waiting: Slice[] = []
  /** Number of slices at the front of `#waiting` that have continued. */
  #done = 0
  #isWorking = false
  /** End of this turn by the steady clock; undefined until its first work. */
  #ends: number | undefined

  /** @param nextTurn - resolves after everything else in the event loop has run */
  constructor(nextTurn = (): Promise<void> => platform.nextTurn()) {
    this.#nextTurn = nextTurn
  }

  /**
   * Takes a part of this turn, for work of less than a millisecond. If this turn is over or other work
   * already waits, returns the promise to await first, in order.
   */
  take(): Promise<void> | undefined {
    return this.#isTaken() ? this.#wait(1) : undefined
  }

  /** Takes a part of this turn for work of a millisecond or more, which gets a slice of its own. */
  takeLong(): Promise<void> | undefined {
    return this.#isTaken() ? this.#wait(WAITERS_PER_SLICE) : undefined
  }

  /**
   * Returns whether `take` would wait, by the time of the last bundle. Begins the turn if this is its first work.
   *
   * Reading the clock for each call of a batch, after each bundle has read it, took 2 % of the time.
   */
  mustWait(): boolean {
    if (this.#hasMore) return true
    return this.#ends === undefined ? this.#isOver() : lastSteadyMs() >= this.#ends
  }

  #isTaken(): boolean {
    return this.#hasMore || this.#isOver()
  }

  #wait(size: number): Promise<void> {
    // The last slice has not continued: finished slices are removed, or other slices wait after them.
    const last = this.#waiting.at(-1)
    const slice = last && last.size + size <= WAITERS_PER_SLICE ? last : this.#begin()
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

  /** Returns whether this turn is over. The first call begins it. */
  #isOver(): boolean {
    const now = performance.now()
    if (this.#ends === undefined) this.#beginAt(now)
    return now >= (this.#ends as number)
  }

  #beginAt(now: number): void {
    this.#ends = now + MAX_TURN_MS
    const over = () => {
      this.#ends = undefined
    }
    // After a failure, the next work asks for a turn again.
    this.#nextTurn().then(over, over)
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    await this.#nextTurn()
    // Yield twice, so that due timers run first in whatever phase of the event loop this turn began.
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

  /** Lets the next slice continue. Later waiters get a new slice. */
  #goOn(): void {
    this.#waiting[this.#done++]?.goOn()
    if (this.#hasMore && this.#done < MIN_REMOVED_SLICES) return
    this.#waiting.splice(0, this.#done)
    this.#done = 0
  }
}

/*
 * Separate queues, because each is in order: after 5,000 waiting calls, a consumer in the same process
 * verified one message a second instead of 34.
 */

/** Scheduler of the calls in this thread. */
export const callTurns = new Turns()
/** Scheduler of the sources that are read and hashed in this thread. */
export const sourceTurns = new Turns()
/** Scheduler of verifying in this thread. */
export const verifyTurns = new Turns()
/**
 * Scheduler of reading keys and policies in this thread: in the queue of a busy verifier, a revocation would
 * be late.
 */
export const trustTurns = new Turns()

/** Runs all steps without a pause. */
export function runSync<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Runs steps one by one, and yields to timers and sockets between them. Resolves with their result. */
export async function runYielding<T>(steps: Iterator<unknown, T>, turns = verifyTurns): Promise<T> {
  for (;;) {
    const turn = turns.takeLong()
    if (turn) await turn
    const { done, value } = steps.next()
    if (done) return value
  }
}
