import { type Entry, StoredMessage } from './entry.js'
import { readRecord } from './record.js'
import type { OutboxStore } from './store.js'

/** What is in the store. */
export interface Extent {
  /** The last number that is settled: what comes after it is still to be delivered. */
  readonly settled: number
  /** The last number there is. */
  readonly last: number
  /** Of the records between these two. */
  readonly bytes: number
}

/** Counts what is stored, and tells those who wait for a message what became of it. */
export class Ledger implements Extent {
  #settled = 0
  #settledEnd = 0
  #last = 0
  #lastEnd = 0
  readonly #messages = new Map<number, StoredMessage>()
  #whenEmpty: (() => void)[] = []

  /** Of what an opened store has in it. @throws RangeError when that cannot be read */
  static async of(store: OutboxStore): Promise<Ledger> {
    const ledger = new Ledger()
    const found = await store.open()
    if (!found) return ledger
    const [first] = await store.read(found.first, 1)
    const [last] = await store.read(found.last, 1)
    if (!first || !last)
      throw new RangeError(`store: expected records ${found.first} and ${found.last}, got none`)
    ledger.#settled = found.first - 1
    ledger.#settledEnd = readRecord(first.bytes).end - first.bytes.length
    ledger.#last = found.last
    ledger.#lastEnd = readRecord(last.bytes).end
    return ledger
  }

  get settled(): number {
    return this.#settled
  }

  get last(): number {
    return this.#last
  }

  /** Where the next record begins, see `Stored.end`. */
  get lastEnd(): number {
    return this.#lastEnd
  }

  get bytes(): number {
    return this.#lastEnd - this.#settledEnd
  }

  /** It is stored now. */
  add({ number, end }: Entry): StoredMessage {
    this.#last = number
    this.#lastEnd = end
    const message = new StoredMessage()
    this.#messages.set(number, message)
    return message
  }

  /** What became of a message: delivered, or with an error, dropped. */
  tell(number: number, error?: unknown): void {
    this.#messages.get(number)?.settle(error)
    this.#messages.delete(number)
  }

  /** Everything up to here is settled. */
  settleThrough(number: number, end: number): void {
    if (number <= this.#settled) return
    this.#settled = number
    this.#settledEnd = end
    if (number < this.#last) return
    for (const resolve of this.#whenEmpty.splice(0)) resolve()
  }

  /** Resolves when nothing is stored any more. */
  empty(): Promise<void> {
    if (this.#settled === this.#last) return Promise.resolve()
    return new Promise((resolve) => this.#whenEmpty.push(resolve))
  }

  /** Tells all who still wait. */
  end(error: unknown): void {
    for (const number of this.#messages.keys()) this.tell(number, error)
  }
}
