import { LONGEST_TIMEOUT } from '../options/schema.js'
import { within } from './timeout.js'

/** Tells those who wait that something has changed, once. */
export class Notifier {
  #next: Promise<void> | undefined
  #tell = () => {}

  /** Resolves with the next change. The same for all who ask before it. */
  get next(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      this.#tell = resolve
    })
    return this.#next
  }

  /** Resolves with the next change, or after so many milliseconds. */
  async within(milliseconds: number): Promise<void> {
    // A timer for each message, for what is years away, costs more than it is worth.
    if (milliseconds > LONGEST_TIMEOUT) await this.next
    else await within(this.next, milliseconds)
  }

  tell(): void {
    if (!this.#next) return
    this.#next = undefined
    this.#tell()
  }
}
