import { type OutboxEntry, StoredMessage } from './entry.js'
import type { Mark } from './mark.js'
import { countOf, type Range, without } from './mark.js'

/** What the store has. */
export interface Extent {
  /** The last number that is settled. Everything after it is still to be delivered. */
  readonly settled: number
  /** The last number that was stored. */
  readonly last: number
  /** The length of all records so far, see `RecordContent.end`. */
  readonly lastEnd: number
  /** Bytes of the records between these two. */
  readonly bytes: number
}

/** The part of a mark that a ledger knows. */
type Edges = Omit<Mark, 'aside' | 'markedAt' | 'sets' | 'topics'>

/** Counts what is stored, and settles the promises of those that wait for a message. */
export class Ledger implements Extent {
  #settled: number
  #settledEnd: number
  #last: number
  #lastEnd: number
  /** Numbers that are not settled and known to be lost. */
  #gone: Range[]
  readonly #messages = new Map<number, StoredMessage>()
  #whenEmpty: (() => void)[] = []
  /** The error that ends every wait from now on. */
  #ended: { error: unknown } | undefined

  constructor({ settled, settledEnd, last, lastEnd, gone }: Edges) {
    this.#settled = settled
    this.#settledEnd = settledEnd
    this.#last = last
    this.#lastEnd = lastEnd
    this.#gone = [...gone]
  }

  get settled(): number {
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

  /** How many messages are still to be delivered. */
  get messages(): number {
    return this.#last - this.#settled - countOf(this.#gone, this.#settled + 1)
  }

  /** For the store's mark. */
  get edges(): Edges {
    const [settled, settledEnd, last, lastEnd] = [this.#settled, this.#settledEnd, this.#last, this.#lastEnd]
    return { settled, settledEnd, last, lastEnd, gone: this.#gone }
  }

  /** Does not assign numbers that are in use elsewhere: what is stored next gets newer ones. */
  startAfter(number: number): void {
    if (this.#settled === this.#last) this.#settled = this.#last = Math.max(number, this.#last)
  }

  /** This message is stored now. */
  add({ number, end }: OutboxEntry): StoredMessage {
    this.#last = number
    this.#lastEnd = end
    const message = new StoredMessage()
    if (this.#ended) message.settle(this.#ended.error)
    else this.#messages.set(number, message)
    return message
  }

  /** These are lost. Returns those that were not known to be lost. */
  lose(range: Range): Range[] {
    const news = without(range, this.#gone)
    this.#gone.push(...news)
    return news
  }

  /** A message was delivered or, with an error, dropped. */
  tell(number: number, error?: unknown): void {
    this.#messages.get(number)?.settle(error)
    this.#messages.delete(number)
  }

  /** Everything up to here is settled. */
  settleThrough(number: number, end: number): void {
    if (number <= this.#settled) return
    this.#settled = number
    // The length of lost records is not known.
    this.#settledEnd = number === this.#last ? this.#lastEnd : end
    if (this.#gone.length > 0) this.#gone = this.#gone.filter(([, last]) => last > number)
    if (number < this.#last) return
    for (const resolve of this.#whenEmpty.splice(0)) resolve()
  }

  /** Resolves when nothing is stored any more. */
  empty(): Promise<void> {
    if (this.#settled === this.#last) return Promise.resolve()
    return new Promise((resolve) => this.#whenEmpty.push(resolve))
  }

  /** Settles the promises of all who still wait. */
  end(error: unknown): void {
    this.#ended = { error }
    for (const number of this.#messages.keys()) this.tell(number, error)
  }
}
