import type { Backlog } from './backlog.js'
import type { OutboxEntry } from './entry.js'
import type { Ledger } from './ledger.js'

/** Messages that were taken from the `Backlog` and are not settled, in order: in flight, or waiting for a retry. */
export class UnsettledEntries {
  readonly #backlog: Backlog
  readonly #ledger: Ledger
  readonly #onSettled: () => void
  readonly #entries = new Set<OutboxEntry>()
  /**
   * Messages that are being set aside, each with the promise for the outcome. A late acceptance of them is
   * ignored.
   */
  readonly #moving = new Map<OutboxEntry, Promise<boolean>>()
  /** Last entry that was taken or forgotten. */
  #takenThrough: { number: number; end: number } | undefined

  constructor(backlog: Backlog, ledger: Ledger, onSettled: () => void) {
    this.#backlog = backlog
    this.#ledger = ledger
    this.#onSettled = onSettled
  }

  get first(): OutboxEntry | undefined {
    const [first] = this.#entries
    return first ?? this.#backlog.peek()
  }

  has(entry: OutboxEntry): boolean {
    return this.#entries.has(entry)
  }

  isMoving(entry: OutboxEntry): boolean {
    return this.#moving.has(entry)
  }

  take(): OutboxEntry | undefined {
    const entry = this.#backlog.take()
    if (!entry) return undefined
    this.#entries.add(entry)
    this.#takenThrough = entry
    return entry
  }

  /** Returns the oldest unsettled message, or an entry of lost messages. */
  async oldest(): Promise<OutboxEntry | undefined> {
    for (;;) {
      if (!this.first && this.#backlog.needsRefill) await this.#backlog.refill()
      const entry = this.first
      const moving = entry && this.#moving.get(entry)
      if (!moving) return entry
      await moving
    }
  }

  /**
   * Removes a message if `moving`, the promise of storing it elsewhere, resolves with true. Returns what
   * `moving` resolves with.
   */
  async move(entry: OutboxEntry, moving: Promise<boolean>): Promise<boolean> {
    this.#moving.set(entry, moving)
    const isKept = await moving
    this.#moving.delete(entry)
    if (isKept) this.leave(entry)
    return isKept
  }

  leave(entry: OutboxEntry): boolean {
    if (!this.#entries.delete(entry)) return false
    this.#advance()
    return true
  }

  /** Removes all messages up to a number. Returns the entries among them that were taken. */
  forget(number: number, end: number): OutboxEntry[] {
    const forgotten = [...this.#entries].filter((entry) => entry.number <= number)
    for (const entry of forgotten) this.#entries.delete(entry)
    this.#backlog.forget(number)
    if (number > (this.#takenThrough?.number ?? 0)) this.#takenThrough = { number, end }
    this.#advance()
    return forgotten
  }

  /** Records in the ledger that all messages before the first unsettled one are settled. */
  #advance(): void {
    const [first] = this.#entries
    const through = first
      ? { number: first.number - first.count, end: first.end - first.length }
      : this.#takenThrough
    if (!through) return
    this.#ledger.settleThrough(through.number, through.end)
    this.#onSettled()
  }
}
