import { backoff } from '../base/time/backoff.js'

/** A call waits for the next attempt: so long, and until that has failed, at most. */
const LONGEST_WAIT_MS = 5000

/** When a worker is started again after others did not start: later each time. */
export class Restarts {
  readonly #start: () => void
  #failed = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #due = 0

  /** @param start - begins the next attempt */
  constructor(start: () => void) {
    this.#start = start
  }

  /** Attempts in a row that have failed. */
  get failed(): number {
    return this.#failed
  }

  /** Whether the next attempt is waited for. */
  get isWaiting(): boolean {
    return this.#timer !== undefined
  }

  /** Milliseconds until the next attempt, if it is waited for. */
  get nextMs(): number | undefined {
    return this.isWaiting ? Math.max(0, this.#due - performance.now()) : undefined
  }

  /** A worker has started. */
  succeed(): void {
    this.#failed = 0
    this.stop()
  }

  /** One has not. Several that were started together are one attempt. */
  fail(): void {
    if (this.isWaiting) return
    const wait = backoff(this.#failed, Math.random(), LONGEST_WAIT_MS)
    this.#failed++
    this.#due = performance.now() + wait
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#start()
    }, wait)
  }

  /** Tries no more. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
