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

/** The two ways in which a bundle leaves its consumer's hands; the first one counts. */
export class Settlement {
  readonly #settle: (done: boolean) => Promise<void>
  #settled: Promise<void> | undefined

  constructor(settle: (done: boolean) => Promise<void>) {
    this.#settle = settle
  }

  ack(): Promise<void> {
    this.#settled ??= this.#settle(true).catch((error) => {
      // It may be tried again.
      this.#settled = undefined
      throw error
    })
    return this.#settled
  }

  nack(): void {
    this.#settled ??= this.#settle(false)
  }
}
