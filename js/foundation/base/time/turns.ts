import { platform } from '../../platform/platform.js'
import { lastSteadyMs } from './clock.js'
import { withResolvers } from './promises.js'

/** Maximum time of a turn, in milliseconds: work runs no longer without yielding to the event loop. */
const MAX_TURN_MS = 8
/** Number of waiting calls that continue before the clock is read again. */
const WAITERS_PER_SLICE = 16
/**
 * Number of microtasks from signing a message to passing it to the stream. The next slice continues after
 * them.
 */
const MICROTASKS = 8
/**
 * Minimum number of `Slice`s to remove while others wait: removing the first items of an array moves all
 * later ones.
 */
const MIN_REMOVED_SLICES = 64

/** Waiting calls that continue at the same time. They share one promise, because there may be very many of them. */
interface Slice {
  readonly goesOn: Promise<void>
  goOn(): void
  size: number
}

/**
 * Scheduler of work that never waits for input or output. Unlike `await` of a settled promise, it lets timers
 * and sockets run. Work that does not fit into a turn of the event loop waits for a later turn. Waiting work
 * continues in the order of arrival.
 */
export class CooperativeScheduler {
  readonly #nextTurn: () => Promise<void>
  readonly #waiting: Slice[] = []
  /** Number of slices at the front of `#waiting` that have continued. */
  #done = 0
  #isWorking = false
  /** End of the current turn, on the clock of `performance.now()`; undefined until the turn's first work. */
  #ends: number | undefined

  /** @param nextTurn - resolves after everything else in the event loop has run */
  constructor(nextTurn = (): Promise<void> => platform.nextTurn()) {
    this.#nextTurn = nextTurn
  }

  /** Reserves time in this turn for work of under a millisecond. If the turn is over, returns a promise to await. */
  yieldIfDue(): Promise<void> | undefined {
    return this.#isTaken() ? this.#wait(1) : undefined
  }

  /** Reserves time like {@link yieldIfDue}, for work of a millisecond or more, which gets a {@link Slice} alone. */
  yieldIfDueLong(): Promise<void> | undefined {
    return this.#isTaken() ? this.#wait(WAITERS_PER_SLICE) : undefined
  }

  /**
   * Returns whether {@link yieldIfDue} would return a promise. The first call begins the turn. Later calls
   * compare the end of the turn with the last clock reading of `nowMicros`. Reading the clock again for each
   * call of a batch took 2 % of the total time.
   */
  mustWait(): boolean {
    if (this.#hasMore) return true
    return this.#ends === undefined ? this.#isOver() : lastSteadyMs() >= this.#ends
  }

  #isTaken(): boolean {
    return this.#hasMore || this.#isOver()
  }

  #wait(size: number): Promise<void> {
    // The last slice in `#waiting` still waits: the array is emptied when the last slice continues.
    const last = this.#waiting.at(-1)
    const slice = last && last.size + size <= WAITERS_PER_SLICE ? last : this.#begin()
    slice.size += size
    return slice.goesOn
  }

  #begin(): Slice {
    const { promise: goesOn, resolve: goOn } = withResolvers<void>()
    const slice = { goesOn, goOn, size: 0 }
    this.#waiting.push(slice)
    if (!this.#isWorking) void this.#work()
    return slice
  }

  /** Returns whether the current turn is over. The first call begins the turn. */
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
    // End the turn even if `nextTurn` fails, so that the next work begins another turn.
    this.#nextTurn().then(over, over)
  }

  async #work(): Promise<void> {
    this.#isWorking = true
    await this.#nextTurn()
    // Yield twice. Due timers then run before the waiting work, in whatever phase of the event loop this turn began.
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

  #goOn(): void {
    this.#waiting[this.#done++]?.goOn()
    if (this.#hasMore && this.#done < MIN_REMOVED_SLICES) return
    this.#waiting.splice(0, this.#done)
    this.#done = 0
  }
}

// Each kind of work has a separate queue. In a shared queue with 5,000 waiting calls, a consumer in the same process
// verified one message a second instead of 34.

export const callTurns = new CooperativeScheduler()
export const sourceTurns = new CooperativeScheduler()
export const verifyTurns = new CooperativeScheduler()
/**
 * Scheduler for reading keys and policies in this thread. In a queue behind other work, a revocation would
 * take effect late.
 */
export const trustTurns = new CooperativeScheduler()

/** Runs all steps without yielding, and returns their result. */
export function runSync<T>(steps: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

/** Runs steps one by one, and yields to timers and sockets between them. Resolves with their result. */
export async function runYielding<T>(steps: Iterator<unknown, T>, turns = verifyTurns): Promise<T> {
  for (;;) {
    const turn = turns.yieldIfDueLong()
    if (turn) await turn
    const { done, value } = steps.next()
    if (done) return value
  }
}
