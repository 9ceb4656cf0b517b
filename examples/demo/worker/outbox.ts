import { post } from './port.ts'

/** Milliseconds to wait for further changes before an update, when the page is ready for one. */
const GATHER_MS = 8
/** Minimum number of milliseconds between updates. Nobody reads faster, and painting takes time. */
const PACE_MS = 100

/** Sends a worker's state to the page, at most ten times a second, and only after the page has painted. */
export class Outbox<Update> {
  readonly #read: () => Update
  #isDirty = false
  #isAwaited = true
  #sentAt = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Makes an outbox. `read` returns the state when it is sent, and may clear the lists that it returns. */
  constructor(read: () => Update) {
    this.#read = read
  }

  /** Marks the state as changed. Cheap enough to call on every change. */
  changed(): void {
    this.#isDirty = true
    this.#plan()
  }

  /** Records that the page has painted the last update. */
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
