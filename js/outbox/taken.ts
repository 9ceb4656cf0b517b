import type { Backlog } from './backlog.js'
import type { Entry } from './entry.js'
import type { Ledger } from './ledger.js'

/** What {@link Taken} works with. */
export interface TakenParts {
  readonly backlog: Backlog
  readonly ledger: Ledger
  /** More is settled than before. */
  settled(): void
}

/** What was taken out of the backlog and is not settled, in order: what is under way, and what is to be sent again. */
export class Taken {
  readonly #parts: TakenParts
  readonly #entries = new Set<Entry>()
  /** What of it is being set aside: until that is done, it is nobody else's. */
  readonly #parting = new Map<Entry, Promise<boolean>>()
  /** The last that was taken. */
  #through: { number: number; end: number } | undefined

  constructor(parts: TakenParts) {
    this.#parts = parts
  }

  /** The oldest that is in memory and not settled. */
  get first(): Entry | undefined {
    const [first] = this.#entries
    return first ?? this.#parts.backlog.peek()
  }

  has(entry: Entry): boolean {
    return this.#entries.has(entry)
  }

  isParting(entry: Entry): boolean {
    return this.#parting.has(entry)
  }

  /** The next one of the backlog. */
  take(): Entry | undefined {
    const entry = this.#parts.backlog.take()
    if (!entry) return undefined
    this.#entries.add(entry)
    this.#through = entry
    return entry
  }

  /** The oldest that is not settled, or what is gone before it; nothing when all are settled. */
  async oldest(): Promise<Entry | undefined> {
    const { backlog, ledger } = this.#parts
    for (;;) {
      if (!this.first && backlog.needsRefill) await backlog.refill(ledger)
      const entry = this.first
      const parting = entry && this.#parting.get(entry)
      if (!parting) return entry
      await parting
    }
  }

  /** Has one leave when it is kept elsewhere; resolves with whether it is. */
  part(entry: Entry, keep: () => Promise<boolean>): Promise<boolean> {
    const parting = this.#part(entry, keep)
    this.#parting.set(entry, parting)
    return parting
  }

  async #part(entry: Entry, keep: () => Promise<boolean>): Promise<boolean> {
    const isKept = await keep()
    this.#parting.delete(entry)
    if (isKept) this.leave(entry)
    return isKept
  }

  /** It is none of the sender's any more; false where it was not before. */
  leave(entry: Entry): boolean {
    if (!this.#entries.delete(entry)) return false
    this.#advance()
    return true
  }

  /** Everything up to this number is settled by somebody else. Returns what of it was taken. */
  forget(number: number, end: number): Entry[] {
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
