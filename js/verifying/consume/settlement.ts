import { ignoreRejection } from '../../foundation/base/time/promises.js'
import type { ReceivedMessage } from '../../transport/streams/mqtt/inbox.js'
import type { IdentifiedClassic } from '../classic/received.js'
import type { VerifiedBundle } from '../verify/options.js'
import type { ReceivedBundle, ReceivedClassic } from './received.js'

/** Verified content of a message: a bundle, or a whole classic message. */
export type Content = VerifiedBundle | IdentifiedClassic

export type Delivered = (ReceivedBundle | ReceivedClassic) & Settlement

export interface Candidate<One = Content> {
  readonly message: OpenedMessage
  readonly index: number
  readonly content: One
}

export function makeDelivered(
  settlement: Settlement,
  { message: opened, index, content }: Candidate,
): Delivered {
  const { topic, message, retain, dup, receivedAt, traceContext } = opened.arrival
  const format = 'dialect' in content ? 'classic' : 'bundle'
  const more = { format, topic, message, index, retain, dup, receivedAt, traceContext }
  return Object.assign(settlement, content, more) as Delivered
}

/**
 * Message that is settled bundle by bundle. Acknowledges the message when all of its bundles are
 * acknowledged, and redelivers it if one of them failed.
 */
export class OpenedMessage {
  readonly arrival: ReceivedMessage
  readonly #done = new Set<number>()
  #pending = 0
  #failed = false

  constructor(arrival: ReceivedMessage) {
    this.arrival = arrival
  }

  /** Begins a delivery of the message. Returns the contents that were not acknowledged before. */
  open<One>(contents: readonly One[]): Candidate<One>[] {
    const left = contents
      .map((content, index) => ({ message: this, index, content }))
      .filter(({ index }) => !this.#done.has(index))
    this.#pending = left.length
    return left
  }

  /** Settles a bundle. Settling the last one settles the message. @param done - false to redeliver the bundle */
  settle(index: number, done: boolean): void {
    if (done) this.#done.add(index)
    else this.#failed = true
    if (--this.#pending > 0) return
    if (this.#failed) this.arrival.nack()
    else this.arrival.ack()
    this.#failed = false
  }
}

/** Function that settles delivered content. It returns undefined if nothing is asynchronous. */
type Settle = (done: boolean) => Promise<void> | undefined

/** Lets the application settle a bundle once. Only the first call of `ack()` or `nack()` counts. */
export class Settlement {
  readonly #settle: Settle
  #isSettled = false
  #pending: Promise<void> | undefined

  constructor(settle: Settle) {
    this.#settle = settle
  }

  ack(): Promise<void> {
    const acked = (async () => this.#ack())()
    // Prevent an unhandled rejection if the caller does not await. The error is logged elsewhere.
    ignoreRejection(acked)
    return acked
  }

  nack(): void {
    if (Settlement.begin(this)) this.#settle(false)
  }

  /**
   * Acknowledges content on behalf of the loop. Creates no promise if possible, because a promise for each bundle
   * takes most of the time of a loop over batches. Calls `ack()` if the application has replaced it.
   */
  static ackOf(one: Settlement): Promise<void> | undefined {
    return one.ack === Settlement.prototype.ack ? one.#ack() : one.ack()
  }

  /** Marks content as settled. Returns false if it was settled before. */
  static begin(one: Settlement): boolean {
    const isFirst = !one.#isSettled
    one.#isSettled = true
    return isFirst
  }

  /** Reverts a failed settlement, so that the application can retry. */
  static reopen(one: Settlement): void {
    one.#isSettled = false
  }

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
