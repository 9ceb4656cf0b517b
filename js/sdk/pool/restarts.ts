import { backoff } from '../../foundation/base/time/backoff.js'

/** Maximum milliseconds between two attempts. A call also waits until the next attempt has failed. */
const MAX_WAIT_MS = 5000

/** Backoff for starts of workers: after each failed attempt the wait is longer. */
export class RestartTimer {
  readonly #start: () => void
  #failed = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #due = 0

  /** @param start - begins the next attempt */
  constructor(start: () => void) {
    this.#start = start
  }

  /** Number of consecutive failed attempts. */
  get failed(): number {
    return this.#failed
  }

  /** True while a timer runs for the next attempt. */
  get isWaiting(): boolean {
    return this.#timer !== undefined
  }

  /** Milliseconds until the next attempt; undefined if no timer runs for it. */
  get nextMs(): number | undefined {
    return this.isWaiting ? Math.max(0, this.#due - performance.now()) : undefined
  }

  /** Notes that a worker has started, and ends the wait. */
  succeed(): void {
    this.#failed = 0
    this.stop()
  }

  /** Notes that a worker has not started, and schedules the next attempt. Several concurrent starts count as one attempt. */
  fail(): void {
    if (this.isWaiting) return
    const wait = backoff(this.#failed, Math.random(), MAX_WAIT_MS)
    this.#failed++
    this.#due = performance.now() + wait
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#start()
    }, wait)
  }

  /** Stops further attempts. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
