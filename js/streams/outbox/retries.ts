import { backoff } from '../../base/time/backoff.js'
import type { OutboxEntry } from './entry.js'

/** So often a message is tried before others may overtake it. */
const PATIENCE = 4
/** Most messages in memory that wait to be sent again: while they do, no more are taken out of the store. */
const MOST = 1024

/** How long to wait before what has failed so often is tried again, in milliseconds. */
export function againIn(failures: number): number {
  return backoff(failures, Math.random(), 5_000, 100)
}

/** What has become of a message that the stream did not accept. */
interface Trouble {
  failures: number
  /** How many messages had been accepted when it last failed. */
  acceptedBefore: number
  /** Others may overtake it. */
  isOvertaken: boolean
  /** Runs while it waits by itself. */
  timer?: ReturnType<typeof setTimeout> | undefined
}

/** See {@link Retries.failed}. */
export interface FailedAttempt {
  /** Which attempt it was, of all that were made. */
  readonly attempt: number
  /** How many have been made. */
  readonly attempts: number
  /** The failure may be the message's own: others need not wait for it. */
  readonly isOvertaken: boolean
}

/**
 * Which messages are to be sent again, and when. A failure is put down to the stream, and everything pauses, unless others
 * were accepted since the message failed before: then it waits by itself, and the others go on.
 */
export class Retries {
  readonly #wake: () => void
  readonly #troubles = new Map<OutboxEntry, Trouble>()
  /** Not in flight, in the order of their numbers. */
  readonly #waiting: OutboxEntry[] = []
  #accepted = 0
  /** The last attempt that had been made when the stream last failed. */
  #failedAt = 0
  #streak = 0
  #pause: ReturnType<typeof setTimeout> | undefined

  /** @param wake - called when more may be sent */
  constructor(wake: () => void) {
    this.#wake = wake
  }

  /** Failures of the stream since it last accepted something that was handed to it after a failure. */
  get streak(): number {
    return this.#streak
  }

  /** Nothing is to be sent for a moment. */
  get isPaused(): boolean {
    return this.#pause !== undefined
  }

  get isFull(): boolean {
    return this.#waiting.length >= MOST
  }

  isOvertaken(entry: OutboxEntry): boolean {
    return this.#troubles.get(entry)?.isOvertaken ?? false
  }

  /** Whether it has failed so often that it may go on like that. */
  isHopeless(entry: OutboxEntry): boolean {
    return (this.#troubles.get(entry)?.failures ?? 0) >= PATIENCE
  }

  /** Whether one that keeps its place waits: nothing newer goes before it. */
  get keepsOrder(): boolean {
    return this.#waiting.some((entry) => !this.isOvertaken(entry))
  }

  /** The first that may be sent now. */
  get due(): OutboxEntry | undefined {
    return this.#waiting.find((entry) => this.#troubles.get(entry)?.timer === undefined)
  }

  /** It is in flight again. */
  take(entry: OutboxEntry): void {
    const at = this.#waiting.indexOf(entry)
    if (at >= 0) this.#waiting.splice(at, 1)
  }

  /** The stream has accepted it. */
  accepted(entry: OutboxEntry, attempt: number): void {
    this.#accepted++
    this.forget(entry)
    if (attempt <= this.#failedAt || this.#streak === 0) return
    // What failed with the stream is as good as before, and goes first.
    this.#streak = 0
    this.stop()
  }

  /** The stream has not accepted it. */
  failed(entry: OutboxEntry, { attempt, attempts, isOvertaken }: FailedAttempt): void {
    const trouble = this.#troubleOf(entry)
    const isOwn = trouble.isOvertaken && this.#accepted > trouble.acceptedBefore
    trouble.failures++
    trouble.acceptedBefore = this.#accepted
    if (isOwn) this.#wait(trouble)
    else if (attempt > this.#failedAt) {
      this.#failedAt = attempts
      this.#pauseFor(againIn(this.#streak++))
    }
    trouble.isOvertaken ||= isOvertaken || trouble.failures >= PATIENCE || this.#streak > PATIENCE
    const behind = this.#waiting.findIndex(({ number }) => number > entry.number)
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, entry)
  }

  /** It will not be sent again. */
  forget(entry: OutboxEntry): void {
    const trouble = this.#troubles.get(entry)
    if (!trouble) return
    clearTimeout(trouble.timer)
    this.#troubles.delete(entry)
    this.take(entry)
  }

  /** Waits for nothing any more. */
  stop(): void {
    clearTimeout(this.#pause)
    this.#pause = undefined
    for (const trouble of this.#troubles.values()) {
      clearTimeout(trouble.timer)
      trouble.timer = undefined
    }
  }

  #wait(trouble: Trouble): void {
    trouble.timer = setTimeout(
      () => {
        trouble.timer = undefined
        this.#wake()
      },
      againIn(trouble.failures - 1),
    )
  }

  #pauseFor(milliseconds: number): void {
    clearTimeout(this.#pause)
    this.#pause = setTimeout(() => {
      this.#pause = undefined
      this.#wake()
    }, milliseconds)
  }

  #troubleOf(entry: OutboxEntry): Trouble {
    const known = this.#troubles.get(entry)
    if (known) return known
    const trouble: Trouble = { failures: 0, acceptedBefore: this.#accepted, isOvertaken: false }
    this.#troubles.set(entry, trouble)
    return trouble
  }
}
