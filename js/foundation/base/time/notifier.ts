import { MAX_TIMEOUT_MS } from '../options/schema.js'
import { within } from './timeout.js'

/** Condition whose next change resolves the promises of all waiters. */
export class Notifier {
  #next: Promise<void> | undefined
  #tell = () => {}

  /** Promise of the next change, the same for all callers until then. */
  get next(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      this.#tell = resolve
    })
    return this.#next
  }

  /** Resolves with the next change, or after a time in milliseconds. */
  async within(milliseconds: number): Promise<void> {
    // A timeout of years needs no timer: one for each message would take too much time.
    if (milliseconds > MAX_TIMEOUT_MS) await this.next
    else await within(this.next, milliseconds)
  }

  tell(): void {
    if (!this.#next) return
    this.#next = undefined
    this.#tell()
  }
}
