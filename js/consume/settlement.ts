import { ignoreRejection } from '../base/time/promises.js'
import type { IdentifiedClassic } from '../classic/received.js'
import type { Arrival } from '../streams/mqtt/inbox.js'
import type { VerifiedBundle } from '../verify/options.js'
import type { ReceivedBundle, ReceivedClassic } from './received.js'

/** What a message says: one of its bundles, or all of it if it is classic. */
export type Content = VerifiedBundle | IdentifiedClassic

/** The same in a loop's hands. */
export type Delivered = (ReceivedBundle | ReceivedClassic) & Settlement

/** The content with where it came from, and with `ack()` and `nack()`. */
export function delivered(
  settlement: Settlement,
  content: Content,
  { topic, message, retain, dup, receivedAt, traceContext }: Arrival,
  index: number,
): Delivered {
  const format = 'dialect' in content ? 'classic' : 'bundle'
  const more = { format, topic, message, index, retain, dup, receivedAt, traceContext }
  return Object.assign(settlement, content, more) as Delivered
}

/** Acknowledges a message when the last of its bundles is done; redelivers it if one of them failed. */
export class OpenedMessage {
  readonly arrival: Arrival
  readonly #done = new Set<number>()
  #pending = 0
  #failed = false

  constructor(arrival: Arrival) {
    this.arrival = arrival
  }

  /** The message was delivered with these contents. Returns those that are not done yet, by their places. */
  open<One>(contents: readonly One[]): (readonly [index: number, content: One])[] {
    const left = [...contents.entries()].filter(([index]) => !this.#done.has(index))
    this.#pending = left.length
    return left
  }

  /** A bundle is done, or has to be redelivered: with its message, when the last of the others is settled. */
  settle(index: number, done: boolean): void {
    if (done) this.#done.add(index)
    else this.#failed = true
    if (--this.#pending > 0) return
    if (this.#failed) this.arrival.nack()
    else this.arrival.ack()
    this.#failed = false
  }
}

/** Settles what was delivered; a promise only if there is something to wait for. */
type Settle = (done: boolean) => Promise<void> | undefined

/** The two ways in which a loop settles a bundle; the first one counts. */
export class Settlement {
  readonly #settle: Settle
  #isSettled = false
  #pending: Promise<void> | undefined

  constructor(settle: Settle) {
    this.#settle = settle
  }

  ack(): Promise<void> {
    const acked = (async () => this.#done())()
    // A caller that does not wait for it must not lose the process over it: it is logged where it is settled.
    ignoreRejection(acked)
    return acked
  }

  nack(): void {
    if (Settlement.begin(this)) this.#settle(false)
  }

  /**
   * Calls `ack()` for the loop. Most often there is nothing to wait for, and a loop over batches would spend its time on
   * promises. If somebody has replaced `ack()`, to watch it, that is called.
   */
  static acked(one: Settlement): Promise<void> | undefined {
    return one.ack === Settlement.prototype.ack ? one.#done() : one.ack()
  }

  /** Counts it as settled, with others; false if it was before. */
  static begin(one: Settlement): boolean {
    const isFirst = !one.#isSettled
    one.#isSettled = true
    return isFirst
  }

  /** It has not been settled after all, and may be tried again. */
  static reopen(one: Settlement): void {
    one.#isSettled = false
  }

  /** Its own acknowledgement, while that is in progress. */
  static pendingOf(one: Settlement): Promise<void> | undefined {
    return one.#pending
  }

  #done(): Promise<void> | undefined {
    if (!Settlement.begin(this)) return this.#pending
    const failed = (error: unknown): never => {
      Settlement.reopen(this)
      this.#pending = undefined
      throw error
    }
    try {
      this.#pending = this.#settle(true)?.catch(failed)
    } catch (error) {
      failed(error)
    }
    return this.#pending
  }
}
