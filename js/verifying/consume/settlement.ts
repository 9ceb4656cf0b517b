import { ignoreRejection } from '../../foundation/base/time/promises.js'
import type { Arrival } from '../../transport/streams/mqtt/inbox.js'
import type { IdentifiedClassic } from '../classic/received.js'
import type { VerifiedBundle } from '../verify/options.js'
import type { ReceivedBundle, ReceivedClassic } from './received.js'

/** Contents of a message: one of its bundles, or a whole classic message. */
export type Content = VerifiedBundle | IdentifiedClassic

/** Delivered contents, with their settlement. */
export type Delivered = (ReceivedBundle | ReceivedClassic) & Settlement

/** Returns contents with the members of their message, and with `ack()` and `nack()`. */
export function makeDelivered(
  settlement: Settlement,
  content: Content,
  { topic, message, retain, dup, receivedAt, traceContext }: Arrival,
  index: number,
): Delivered {
  const format = 'dialect' in content ? 'classic' : 'bundle'
  const more = { format, topic, message, index, retain, dup, receivedAt, traceContext }
  return Object.assign(settlement, content, more) as Delivered
}

/** Acknowledges a message when all of its bundles are acknowledged; redelivers it if one of them failed. */
export class OpenedMessage {
  readonly arrival: Arrival
  readonly #done = new Set<number>()
  #pending = 0
  #failed = false

  constructor(arrival: Arrival) {
    this.arrival = arrival
  }

  /** Begins a delivery of the message. Returns the contents that are not acknowledged yet, with their indexes. */
  open<One>(contents: readonly One[]): (readonly [index: number, content: One])[] {
    const left = [...contents.entries()].filter(([index]) => !this.#done.has(index))
    this.#pending = left.length
    return left
  }

  /** Settles a bundle. The last one settles the message. @param done - false to redeliver it */
  settle(index: number, done: boolean): void {
    if (done) this.#done.add(index)
    else this.#failed = true
    if (--this.#pending > 0) return
    if (this.#failed) this.arrival.nack()
    else this.arrival.ack()
    this.#failed = false
  }
}

/** Settles delivered contents. Returns a promise only if there is something to wait for. */
type Settle = (done: boolean) => Promise<void> | undefined

/** Settlement of a bundle by a loop: the first call counts. */
export class Settlement {
  readonly #settle: Settle
  #isSettled = false
  #pending: Promise<void> | undefined

  constructor(settle: Settle) {
    this.#settle = settle
  }

  ack(): Promise<void> {
    const acked = (async () => this.#ack())()
    // Prevent an unhandled rejection in callers that do not await it: the error is logged elsewhere.
    ignoreRejection(acked)
    return acked
  }

  nack(): void {
    if (Settlement.begin(this)) this.#settle(false)
  }

  /**
   * Calls `ack()` for the loop, without a promise if possible: a loop over batches would spend its time on promises.
   * An `ack()` that the application has replaced is called.
   */
  static ackOf(one: Settlement): Promise<void> | undefined {
    return one.ack === Settlement.prototype.ack ? one.#ack() : one.ack()
  }

  /** Marks a settlement as settled. Returns false if it was settled before. */
  static begin(one: Settlement): boolean {
    const isFirst = !one.#isSettled
    one.#isSettled = true
    return isFirst
  }

  /** Reverts a settlement that failed, so that it can be retried. */
  static reopen(one: Settlement): void {
    one.#isSettled = false
  }

  /** Returns the acknowledgement in progress, if there is one. */
  static pendingOf(one: Settlement): Promise<void> | undefined {
    return one.#pending
  }

  #ack(): Promise<void> | undefined {
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
