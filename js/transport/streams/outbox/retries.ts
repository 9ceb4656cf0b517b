import { backoff } from '../../../foundation/base/time/backoff.js'
import type { OutboxEntry } from './entry.js'

/** Number of failed attempts after which later messages may overtake a message. */
const MAX_ORDERED_FAILURES = 4
/** Maximum number of failed messages in memory. At the limit, the sender reads no more from the store. */
const MAX_WAITING = 1024

/** Returns a random delay in milliseconds, at most 5,000, that grows with the number of failures. */
export function retryDelay(failures: number): number {
  return backoff(failures, Math.random(), 5_000, 100)
}

interface RetryState {
  failures: number
  /**
   * Value of `#accepted` when this message last failed. A higher `#accepted` now shows that the stream works.
   */
  acceptedBefore: number
  isOvertaken: boolean
  /** Timer that delays this message alone, while others are sent. */
  timer?: ReturnType<typeof setTimeout> | undefined
}

interface FailedAttempt {
  /** Number of the failed attempt, counted over all messages. */
  readonly attempt: number
  /** Number of attempts so far, counted over all messages. */
  readonly attempts: number
  /** True if the message may have caused the failure, so that later messages need not wait. */
  readonly isOvertaken: boolean
}

/**
 * Schedule of retries. A failure counts as a failure of the stream, and pauses all sending. The exception is
 * a message that others may overtake, if the stream has accepted other messages since that message last
 * failed. Only this message then waits.
 */
export class Retries {
  readonly #wake: () => void
  readonly #states = new Map<OutboxEntry, RetryState>()
  /** Failed messages that wait to be sent again, in the order of their numbers. */
  readonly #waiting: OutboxEntry[] = []
  #accepted = 0
  /** Number of attempts, counted over all messages, when the stream last failed. */
  #failedAt = 0
  #streak = 0
  #pause: ReturnType<typeof setTimeout> | undefined

  constructor(wake: () => void) {
    this.#wake = wake
  }

  /** Number of stream failures in a row. Returns to 0 when a message sent after the last failure is accepted. */
  get streak(): number {
    return this.#streak
  }

  get isPaused(): boolean {
    return this.#pause !== undefined
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING
  }

  isOvertaken(entry: OutboxEntry): boolean {
    return this.#states.get(entry)?.isOvertaken ?? false
  }

  hasFailedOften(entry: OutboxEntry): boolean {
    return (this.#states.get(entry)?.failures ?? 0) >= MAX_ORDERED_FAILURES
  }

  /** True if a failed message waits that newer messages must not overtake. */
  get keepsOrder(): boolean {
    return this.#waiting.some((entry) => !this.isOvertaken(entry))
  }

  /** First failed message that may be sent again now. */
  get due(): OutboxEntry | undefined {
    return this.#waiting.find((entry) => this.#states.get(entry)?.timer === undefined)
  }

  take(entry: OutboxEntry): void {
    const at = this.#waiting.indexOf(entry)
    if (at >= 0) this.#waiting.splice(at, 1)
  }

  accepted(entry: OutboxEntry, attempt: number): void {
    this.#accepted++
    this.forget(entry)
    if (attempt <= this.#failedAt || this.#streak === 0) return
    // End all waits: the stream works again, and the failed messages go first.
    this.#streak = 0
    this.stop()
  }

  /** Records that the stream has not accepted a message. */
  failed(entry: OutboxEntry, { attempt, attempts, isOvertaken }: FailedAttempt): void {
    const state = this.#stateOf(entry)
    const isOwn = state.isOvertaken && this.#accepted > state.acceptedBefore
    state.failures++
    state.acceptedBefore = this.#accepted
    if (isOwn) this.#wait(state)
    else if (attempt > this.#failedAt) {
      this.#failedAt = attempts
      this.#pauseFor(retryDelay(this.#streak++))
    }
    state.isOvertaken ||=
      isOvertaken || state.failures >= MAX_ORDERED_FAILURES || this.#streak > MAX_ORDERED_FAILURES
    const behind = this.#waiting.findIndex(({ number }) => number > entry.number)
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, entry)
  }

  forget(entry: OutboxEntry): void {
    const state = this.#states.get(entry)
    if (!state) return
    clearTimeout(state.timer)
    this.#states.delete(entry)
    this.take(entry)
  }

  stop(): void {
    clearTimeout(this.#pause)
    this.#pause = undefined
    for (const state of this.#states.values()) {
      clearTimeout(state.timer)
      state.timer = undefined
    }
  }

  #wait(state: RetryState): void {
    state.timer = setTimeout(
      () => {
        state.timer = undefined
        this.#wake()
      },
      retryDelay(state.failures - 1),
    )
  }

  #pauseFor(milliseconds: number): void {
    clearTimeout(this.#pause)
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      this.#wake()
    }, milliseconds)
  }

  #stateOf(entry: OutboxEntry): RetryState {
    const state = this.#states.get(entry) ?? {
      failures: 0,
      acceptedBefore: this.#accepted,
      isOvertaken: false,
    }
    this.#states.set(entry, state)
    return state
  }
}
