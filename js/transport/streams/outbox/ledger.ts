import { Notifier } from '../../../foundation/base/time/notifier.js'
import { type OutboxEntry, StoredMessage } from './entry.js'
import type { Mark } from './mark.js'
import { countNumbers, type Range, subtractRanges } from './mark.js'

type Edges = Omit<Mark, 'setAside' | 'markedAt' | 'clockSettings' | 'topics'>

/** Numbers and lengths of the stored records, with promises for callers that wait for a delivery. */
export class Ledger {
  readonly #edges: { -readonly [Name in keyof Edges]: Edges[Name] }
  readonly #messages = new Map<number, StoredMessage>()
  readonly #emptied = new Notifier()
  /** Error of all messages that are added after the outbox was closed. */
  #ended: { error: unknown } | undefined

  constructor({ settled, settledEnd, last, lastEnd, lost }: Edges) {
    this.#edges = { settled, settledEnd, last, lastEnd, lost }
  }

  get edges(): Edges {
    return { ...this.#edges }
  }

  get settledThrough(): number {
    return this.#edges.settled
  }

  get last(): number {
    return this.#edges.last
  }

  get lastEnd(): number {
    return this.#edges.lastEnd
  }

  /** Size of the unsettled records in bytes. */
  get bytes(): number {
    return this.#edges.lastEnd - this.#edges.settledEnd
  }

  /** Number of messages after `settledThrough` that are not lost. Some of them may be settled already. */
  get messages(): number {
    const { settled, last, lost } = this.#edges
    return last - settled - countNumbers(lost, settled + 1)
  }

  /**
   * Lets an empty store assign only numbers above this one, which a message that is set aside already has.
   */
  startAfter(number: number): void {
    const { settled, last } = this.#edges
    if (settled === last) this.#edges.settled = this.#edges.last = Math.max(number, last)
  }

  add({ number, end }: OutboxEntry): StoredMessage {
    this.#edges.last = number
    this.#edges.lastEnd = end
    const message = new StoredMessage()
    if (this.#ended) message.settle(this.#ended.error)
    else this.#messages.set(number, message)
    return message
  }

  /** Records lost messages. Returns the ranges that were not yet known to be lost. */
  recordLoss(range: Range): Range[] {
    const news = subtractRanges(range, this.#edges.lost)
    this.#edges.lost = [...this.#edges.lost, ...news]
    return news
  }

  /** Settles a message as delivered, or as dropped if there is an error. */
  settleMessage(number: number, error?: unknown): void {
    this.#messages.get(number)?.settle(error)
    this.#messages.delete(number)
  }

  settleThrough(number: number, end: number): void {
    const edges = this.#edges
    if (number <= edges.settled) return
    edges.settled = number
    // The sum `end` may be too low, because the lengths of lost records are unknown.
    edges.settledEnd = number === edges.last ? edges.lastEnd : end
    if (edges.lost.length > 0) edges.lost = edges.lost.filter(([, last]) => last > number)
    if (number >= edges.last) this.#emptied.notifyAll()
  }

  async whenEmpty(): Promise<void> {
    if (this.settledThrough !== this.last) await this.#emptied.next
  }

  settleAll(error: unknown): void {
    this.#ended = { error }
    for (const number of this.#messages.keys()) this.settleMessage(number, error)
  }
}
