import { type OutboxEntry, StoredMessage } from './entry.js'
import type { Mark } from './mark.js'
import { countNumbers, type Range, subtractRanges } from './mark.js'

/** Range of the unsettled record numbers in a store, and the size of their records. */
export interface Extent {
  /** Highest number up to which all messages are settled. */
  readonly settledThrough: number
  /** Number of the last stored record. */
  readonly last: number
  /** Total bytes of all records up to the last one, as in `RecordContent.end`. */
  readonly lastEnd: number
  /** Size of the unsettled records in bytes. */
  readonly bytes: number
}

/** Fields of a {@link Mark} that the ledger provides. */
type Edges = Omit<Mark, 'setAside' | 'markedAt' | 'clockSettings' | 'topics'>

/** Record of the stored messages, with promises for callers that wait for a delivery. */
export class Ledger implements Extent {
  #settled: number
  #settledEnd: number
  #last: number
  #lastEnd: number
  #lost: Range[]
  readonly #messages = new Map<number, StoredMessage>()
  #whenEmpty: (() => void)[] = []
  /** Error with which `delivered` of all later messages rejects, once the outbox has closed. */
  #ended: { error: unknown } | undefined

  constructor({ settled, settledEnd, last, lastEnd, lost }: Edges) {
    this.#settled = settled
    this.#settledEnd = settledEnd
    this.#last = last
    this.#lastEnd = lastEnd
    this.#lost = [...lost]
  }

  get settledThrough(): number {
    return this.#settled
  }

  get last(): number {
    return this.#last
  }

  get lastEnd(): number {
    return this.#lastEnd
  }

  get bytes(): number {
    return this.#lastEnd - this.#settledEnd
  }

  /** Number of messages after `settledThrough` that are not lost. Some of them may be settled already. */
  get messages(): number {
    return this.#last - this.#settled - countNumbers(this.#lost, this.#settled + 1)
  }

  /** Numbers and lengths of the records, for the store's {@link Mark}. */
  get edges(): Edges {
    const [settled, settledEnd, last, lastEnd] = [this.#settled, this.#settledEnd, this.#last, this.#lastEnd]
    return { settled, settledEnd, last, lastEnd, lost: this.#lost }
  }

  /** Makes an empty store assign only numbers above the given one, because a message set aside has that number. */
  startAfter(number: number): void {
    if (this.#settled === this.#last) this.#settled = this.#last = Math.max(number, this.#last)
  }

  /** Records a stored message. Returns the receipt. */
  add({ number, end }: OutboxEntry): StoredMessage {
    this.#last = number
    this.#lastEnd = end
    const message = new StoredMessage()
    if (this.#ended) message.settle(this.#ended.error)
    else this.#messages.set(number, message)
    return message
  }

  /** Records lost messages. Returns the ranges that were not yet known to be lost. */
  recordLoss(range: Range): Range[] {
    const news = subtractRanges(range, this.#lost)
    this.#lost.push(...news)
    return news
  }

  /** Settles a message as delivered, or as dropped if there is an error. */
  settleMessage(number: number, error?: unknown): void {
    this.#messages.get(number)?.settle(error)
    this.#messages.delete(number)
  }

  settleThrough(number: number, end: number): void {
    if (number <= this.#settled) return
    this.#settled = number
    // Use `#lastEnd` if all records are settled. `end` may be lower, because the lengths of lost records are unknown.
    this.#settledEnd = number === this.#last ? this.#lastEnd : end
    if (this.#lost.length > 0) this.#lost = this.#lost.filter(([, last]) => last > number)
    if (number < this.#last) return
    for (const resolve of this.#whenEmpty.splice(0)) resolve()
  }

  whenEmpty(): Promise<void> {
    if (this.#settled === this.#last) return Promise.resolve()
    return new Promise((resolve) => this.#whenEmpty.push(resolve))
  }

  /** Settles all pending and later deliveries with an error. */
  settleAll(error: unknown): void {
    this.#ended = { error }
    for (const number of this.#messages.keys()) this.settleMessage(number, error)
  }
}
