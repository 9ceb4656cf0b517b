import { ignoreRejection } from '../base/promises.js'

/** What a parcel needs of the message. */
interface Acknowledged {
  ack(): void
  nack(): void
}

/** The bundles of one message, which is acknowledged when the last of them is done. */
export class Parcel {
  readonly #message: Acknowledged
  readonly #done = new Set<number>()
  #pending = 0
  #failed = false

  constructor(message: Acknowledged) {
    this.#message = message
  }

  /** The message has come, with so many bundles; those that are not done yet, by their places. */
  begin<Bundle>(bundles: readonly Bundle[]): (readonly [index: number, bundle: Bundle])[] {
    const left = [...bundles.entries()].filter(([index]) => !this.#done.has(index))
    this.#pending = left.length
    return left
  }

  /** A bundle is done with, or has to come again; the message comes again with the last of them. */
  settle(index: number, done: boolean): void {
    if (done) this.#done.add(index)
    else this.#failed = true
    if (--this.#pending > 0) return
    if (this.#failed) this.#message.nack()
    else this.#message.ack()
    this.#failed = false
  }
}

/** Ends what was given; a promise only where there is something to wait for. */
type Settle = (done: boolean) => Promise<void> | undefined

/** The two ways in which a bundle leaves its consumer's hands; the first one counts. */
export class Settlement {
  readonly #settle: Settle
  #isSettled = false
  #pending: Promise<void> | undefined

  constructor(settle: Settle) {
    this.#settle = settle
  }

  ack(): Promise<void> {
    const acked = (async () => this.#done())()
    // Who does not wait for it must not lose the process over it: it is logged where it is settled.
    ignoreRejection(acked)
    return acked
  }

  nack(): void {
    if (Settlement.begin(this)) this.#settle(false)
  }

  /**
   * Says `ack()` for the loop; most often there is nothing to wait for, and a loop over batches would spend its time on
   * promises. Whoever has put another `ack()` in its place, to watch it, is asked as well.
   */
  static acked(one: Settlement): Promise<void> | undefined {
    return one.ack === Settlement.prototype.ack ? one.#done() : one.ack()
  }

  /** Counts it as settled, with others; false when it was before. */
  static begin(one: Settlement): boolean {
    const isFirst = !one.#isSettled
    one.#isSettled = true
    return isFirst
  }

  /** It has not been settled after all, and may be tried again. */
  static reopen(one: Settlement): void {
    one.#isSettled = false
  }

  /** Its own acknowledgement, where that is still under way. */
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
