import type { Backlog } from './backlog.js'
import type { OutboxEntry } from './entry.js'
import type { Ledger } from './ledger.js'

/** What {@link Unsettled} works with. */
export interface UnsettledParts {
  readonly backlog: Backlog
  readonly ledger: Ledger
  /** More is settled than before. */
  settled(): void
}

/** What was taken out of the backlog and is not settled, in order: what is in flight, and what is to be sent again. */
export class Unsettled {
  readonly #parts: UnsettledParts
  readonly #entries = new Set<OutboxEntry>()
  /** What of it is being set aside: until that is done, nothing else may happen to it. */
  readonly #moving = new Map<OutboxEntry, Promise<boolean>>()
  /** The last that was taken. */
  #through: { number: number; end: number } | undefined

  constructor(parts: UnsettledParts) {
    this.#parts = parts
  }

  /** The oldest that is in memory and not settled. */
  get first(): OutboxEntry | undefined {
    const [first] = this.#entries
    return first ?? this.#parts.backlog.peek()
  }

  has(entry: OutboxEntry): boolean {
    return this.#entries.has(entry)
  }

  isMoving(entry: OutboxEntry): boolean {
    return this.#moving.has(entry)
  }

  /** The next one of the backlog. */
  take(): OutboxEntry | undefined {
    const entry = this.#parts.backlog.take()
    if (!entry) return undefined
    this.#entries.add(entry)
    this.#through = entry
    return entry
  }

  /** The oldest that is not settled, or what is lost before it; nothing if all are settled. */
  async oldest(): Promise<OutboxEntry | undefined> {
    const { backlog } = this.#parts
    for (;;) {
      if (!this.first && backlog.needsRefill) await backlog.refill()
      const entry = this.first
      const moving = entry && this.#moving.get(entry)
      if (!moving) return entry
      await moving
    }
  }

  /** Removes one if it is kept elsewhere; resolves with whether it is. */
  move(entry: OutboxEntry, keep: () => Promise<boolean>): Promise<boolean> {
    const moving = this.#move(entry, keep)
    this.#moving.set(entry, moving)
    return moving
  }

  async #move(entry: OutboxEntry, keep: () => Promise<boolean>): Promise<boolean> {
    const isKept = await keep()
    this.#moving.delete(entry)
    if (isKept) this.leave(entry)
    return isKept
  }

  /** The sender has no more to do with it; false if it had not before. */
  leave(entry: OutboxEntry): boolean {
    if (!this.#entries.delete(entry)) return false
    this.#advance()
    return true
  }

  /** Everything up to this number is settled by somebody else. Returns what of it was taken. */
  forget(number: number, end: number): OutboxEntry[] {
    const forgotten = [...this.#entries].filter((entry) => entry.number <= number)
    for (const entry of forgotten) this.#entries.delete(entry)
    this.#parts.backlog.forget(number)
    if (number > (this.#through?.number ?? 0)) this.#through = { number, end }
    this.#advance()
    return forgotten
  }

  /** Up to the first that is not settled. */
  #advance(): void {
    const [first] = this.#entries
    const through = first
      ? { number: first.number - first.count, end: first.end - first.length }
      : this.#through
    if (!through) return
    this.#parts.ledger.settleThrough(through.number, through.end)
    this.#parts.settled()
  }
}
