import { MAX_TIMEOUT_MS } from '../options/schema.js'
import { withResolvers } from './promises.js'
import { within } from './timeout.js'

/** Notifier of many waiting callers: `notifyAll` resolves the promises of all of them. */
export class Notifier {
  #next: ReturnType<typeof withResolvers<void>> | undefined

  /** Promise that the next call of `notifyAll` resolves. All readers before that call get the same promise. */
  get next(): Promise<void> {
    this.#next ??= withResolvers<void>()
    return this.#next.promise
  }

  /** Resolves with the next call of `notifyAll`, or after a time in milliseconds. */
  async within(milliseconds: number): Promise<void> {
    // Set no timer above 24 days, the maximum of `setTimeout`. Messages without a time limit then need no timer.
    if (milliseconds > MAX_TIMEOUT_MS) await this.next
    else await within(this.next, milliseconds)
  }

  notifyAll(): void {
    const next = this.#next
    this.#next = undefined
    next?.resolve()
  }
}
