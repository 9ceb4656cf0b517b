import { backoff } from '../base/time/backoff.js'

/** The longest that a call waits for the next attempt to begin. It also waits until that attempt has failed. */
const LONGEST_WAIT_MS = 5000

/** When the next worker is started after others did not start: each wait is longer than the last. */
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

  /** Whether a timer runs for the next attempt. */
  get isWaiting(): boolean {
    return this.#timer !== undefined
  }

  /** Milliseconds until the next attempt, if a timer runs for it. */
  get nextMs(): number | undefined {
    return this.isWaiting ? Math.max(0, this.#due - performance.now()) : undefined
  }

  /** A worker has started. */
  succeed(): void {
    this.#failed = 0
    this.stop()
  }

  /** A worker has not started. Several that were started together are one attempt. */
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

  /** Makes no more attempts. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
