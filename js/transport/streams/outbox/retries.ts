import { backoff } from '../../../foundation/base/time/backoff.js'
import type { OutboxEntry } from './entry.js'

/** Number of attempts before other messages may overtake one. */
const MAX_ORDERED_FAILURES = 4
/**
 * Maximum number of messages in memory that wait to be sent again. Until they are fewer, no more are taken out of the
 * store.
 */
const MAX_WAITING = 1024

/** Returns the wait after so many failures, in milliseconds. */
export function retryDelay(failures: number): number {
  return backoff(failures, Math.random(), 5_000, 100)
}

/** State of a message that the stream did not accept. */
interface RetryState {
  failures: number
  /** Number of messages that had been accepted when it last failed. */
  acceptedBefore: number
  /** True if others may overtake it. */
  isOvertaken: boolean
  /** Timer while the message waits by itself. */
  timer?: ReturnType<typeof setTimeout> | undefined
}

export interface FailedAttempt {
  /** Number of this attempt among all attempts. */
  readonly attempt: number
  /** Number of attempts made so far. */
  readonly attempts: number
  /** True if the failure may be the message's own, so that others need not wait for it. */
  readonly isOvertaken: boolean
}

/**
 * Schedules retries. A failure is attributed to the stream, and all sending pauses. The exception is a message that
 * failed before, if others were accepted since then: it waits by itself, and the others continue.
 */
export class Retries {
  readonly #wake: () => void
  readonly #states = new Map<OutboxEntry, RetryState>()
  /** Messages that are not in flight, in the order of their numbers. */
  readonly #waiting: OutboxEntry[] = []
  #accepted = 0
  /** Number of attempts made when the stream last failed. */
  #failedAt = 0
  #streak = 0
  #pause: ReturnType<typeof setTimeout> | undefined

  /** @param wake - called when more may be sent */
  constructor(wake: () => void) {
    this.#wake = wake
  }

  /** Number of failures of the stream since it last accepted a message that was sent after a failure. */
  get streak(): number {
    return this.#streak
  }

  /** True while all sending pauses. */
  get isPaused(): boolean {
    return this.#pause !== undefined
  }

  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING
  }

  isOvertaken(entry: OutboxEntry): boolean {
    return this.#states.get(entry)?.isOvertaken ?? false
  }

  /** Returns whether it has failed so often that it may never succeed. */
  isHopeless(entry: OutboxEntry): boolean {
    return (this.#states.get(entry)?.failures ?? 0) >= MAX_ORDERED_FAILURES
  }

  /** True if a message that must not be overtaken waits: no newer message goes before it. */
  get keepsOrder(): boolean {
    return this.#waiting.some((entry) => !this.isOvertaken(entry))
  }

  /** The first message that may be sent now. */
  get due(): OutboxEntry | undefined {
    return this.#waiting.find((entry) => this.#states.get(entry)?.timer === undefined)
  }

  /** Removes a message that is in flight again. */
  take(entry: OutboxEntry): void {
    const at = this.#waiting.indexOf(entry)
    if (at >= 0) this.#waiting.splice(at, 1)
  }

  /** Records that the stream has accepted a message. */
  accepted(entry: OutboxEntry, attempt: number): void {
    this.#accepted++
    this.forget(entry)
    if (attempt <= this.#failedAt || this.#streak === 0) return
    // Messages that failed with the stream are no longer suspicious, and go first.
    this.#streak = 0
    this.stop()
  }

  /** Records that the stream has not accepted a message. */
  failed(entry: OutboxEntry, { attempt, attempts, isOvertaken }: FailedAttempt): void {
    const trouble = this.#stateOf(entry)
    const isOwn = trouble.isOvertaken && this.#accepted > trouble.acceptedBefore
    trouble.failures++
    trouble.acceptedBefore = this.#accepted
    if (isOwn) this.#wait(trouble)
    else if (attempt > this.#failedAt) {
      this.#failedAt = attempts
      this.#pauseFor(retryDelay(this.#streak++))
    }
    trouble.isOvertaken ||=
      isOvertaken || trouble.failures >= MAX_ORDERED_FAILURES || this.#streak > MAX_ORDERED_FAILURES
    const behind = this.#waiting.findIndex(({ number }) => number > entry.number)
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, entry)
  }

  /** Drops the state of a message that will not be sent again. */
  forget(entry: OutboxEntry): void {
    const trouble = this.#states.get(entry)
    if (!trouble) return
    clearTimeout(trouble.timer)
    this.#states.delete(entry)
    this.take(entry)
  }

  stop(): void {
    clearTimeout(this.#pause)
    this.#pause = undefined
    for (const trouble of this.#states.values()) {
      clearTimeout(trouble.timer)
      trouble.timer = undefined
    }
  }

  #wait(trouble: RetryState): void {
    trouble.timer = setTimeout(
      () => {
        trouble.timer = undefined
        this.#wake()
      },
      retryDelay(trouble.failures - 1),
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
    const known = this.#states.get(entry)
    if (known) return known
    const trouble: RetryState = { failures: 0, acceptedBefore: this.#accepted, isOvertaken: false }
    this.#states.set(entry, trouble)
    return trouble
  }
}
