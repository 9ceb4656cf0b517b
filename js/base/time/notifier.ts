import { LONGEST_TIMEOUT } from '../options/schema.js'
import { within } from './timeout.js'

/** Resolves the promises of all waiters at the next change. */
export class Notifier {
  #next: Promise<void> | undefined
  #tell = () => {}

  /** A promise of the next change, the same for all callers until then. */
  get next(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      this.#tell = resolve
    })
    return this.#next
  }

  /** Resolves with the next change, or after so many milliseconds. */
  async within(milliseconds: number): Promise<void> {
    // A limit of years needs no timer: one for each message would cost too much.
    if (milliseconds > LONGEST_TIMEOUT) await this.next
    else await within(this.next, milliseconds)
  }

  tell(): void {
    if (!this.#next) return
    this.#next = undefined
    this.#tell()
  }
}
