import { post } from './port.ts'

/** The longest that news wait to be joined by others, once the page is ready for them. */
const GATHER_MS = 8
/** From one update to the next at least: nobody reads numbers faster, and painting them costs frames. */
const PACE_MS = 100

/**
 * Sends a worker's state to the page, however often it changes at most ten times a second, and the next update
 * waits until the page has painted the last one.
 */
export class Outbox<Update> {
  readonly #read: () => Update
  #isDirty = false
  #isAwaited = true
  #sentAt = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `read` gives the state at the moment of sending; it may empty lists that it hands out. */
  constructor(read: () => Update) {
    this.#read = read
  }

  /** Something has changed. Cheap: call it as often as you like. */
  changed(): void {
    this.#isDirty = true
    this.#plan()
  }

  /** The page has painted the last update. */
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
