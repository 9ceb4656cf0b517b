import { backoff } from '../../foundation/base/time/backoff.js'

const MAX_WAIT_MS = 5000

export class RestartTimer {
  readonly #start: () => void
  #failed = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #due = 0

  constructor(start: () => void) {
    this.#start = start
  }

  get failed(): number {
    return this.#failed
  }

  get isWaiting(): boolean {
    return this.#timer !== undefined
  }

  /** Milliseconds until the next attempt; undefined if no attempt is scheduled. */
  get nextMs(): number | undefined {
    return this.isWaiting ? Math.max(0, this.#due - performance.now()) : undefined
  }

  /** Resets the number of failed attempts after a worker has started, and cancels the wait. */
  succeed(): void {
    this.#failed = 0
    this.stop()
  }

  /** Counts a failed attempt, and schedules the next one. Several concurrent starts count as one attempt. */
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

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
