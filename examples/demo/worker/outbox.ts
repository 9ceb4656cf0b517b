import { post } from './port.ts'

/** Maximum delay in milliseconds to combine changes when the page is ready for an update. */
const GATHER_MS = 8
/** Minimum interval between updates: nobody reads numbers faster, and painting them costs frames. */
const PACE_MS = 100

/**
 * Sends a worker's state to the page, at most ten times a second. The next update waits until the page has painted the
 * last one.
 */
export class Outbox<Update> {
  readonly #read: () => Update
  #isDirty = false
  #isAwaited = true
  #sentAt = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Makes an outbox. `read` returns the state when it is sent, and may empty the lists that it returns. */
  constructor(read: () => Update) {
    this.#read = read
  }

  /** Marks the state as changed. Cheap: call it as often as you like. */
  changed(): void {
    this.#isDirty = true
    this.#plan()
  }

  /** Notes that the page has painted the last update. */
  painted(): void {
    this.#isAwaited = true
    this.#plan()
  }

  #plan(): void {
    if (!this.#isDirty || !this.#isAwaited || this.#timer !== undefined) return
    const wait = this.#sentAt + PACE_MS - performance.now()
    this.#timer = setTimeout(() => this.#send(), Math.max(wait, GATHER_MS))
  }

  #send(): void {
    this.#timer = undefined
    this.#isDirty = false
    this.#isAwaited = false
    this.#sentAt = performance.now()
    post({ type: 'update', update: this.#read() })
  }
}
