import type { Clock } from './clock.js'
import type { Entry } from './entry.js'
import type { Extent } from './ledger.js'
import { readRecord } from './record.js'
import type { OutboxStore, StoredRecord } from './store.js'

/** What is read at a time, and kept in memory beside what is under way. */
const MOST_ENTRIES = 256
const MOST_BYTES = 1024 * 1024

/**
 * What is stored and not yet taken, in order: the front of it in memory. What is stored while nothing else waits comes
 * straight from there; what comes behind more than memory should hold is read when it is its turn.
 */
export class Backlog {
  readonly #store: OutboxStore
  readonly #clock: Clock
  /** The last number of an earlier process. */
  readonly #inherited: number
  #entries: Entry[] = []
  #taken = 0
  #bytes = 0
  /** The last number that is in memory, or was. */
  #through: number
  #last: number
  /** Of the newest in memory, see `Stored.end`. */
  #end = 0

  constructor(store: OutboxStore, clock: Clock, { settled, last }: Extent) {
    this.#store = store
    this.#clock = clock
    this.#inherited = last
    this.#through = settled
    this.#last = last
  }

  /** Whether there is more than what is in memory. */
  get isBehind(): boolean {
    return this.#through < this.#last
  }

  /** It has just been stored, behind all others. */
  offer(entry: Entry): void {
    const isNext = !this.isBehind
    this.#last = entry.number
    if (!isNext || this.#bytes + entry.length > MOST_BYTES) return
    if (this.#entries.length - this.#taken < MOST_ENTRIES) this.#keep(entry)
  }

  /** The next one in memory. */
  take(): Entry | undefined {
    const entry = this.#entries[this.#taken]
    if (!entry) return undefined
    this.#taken += 1
    this.#bytes -= entry.length
    if (this.#taken >= MOST_ENTRIES || this.#taken === this.#entries.length) {
      this.#entries.splice(0, this.#taken)
      this.#taken = 0
    }
    return entry
  }

  /** Reads more into memory. */
  async refill({ settled, last, bytes }: Extent): Promise<void> {
    const from = this.#through + 1
    const average = bytes / Math.max(1, last - settled)
    const fitting = Math.floor(MOST_BYTES / Math.max(1, average))
    const most = Math.min(Math.max(1, fitting), MOST_ENTRIES, this.#last - this.#through)
    const through = this.#through + most
    const records = await this.#store.read(from, most)
    for (const record of records) {
      // Others may have been forgotten meanwhile; what comes after the last is no record of ours.
      if (record.number <= this.#through || record.number > this.#last) continue
      this.#keep(this.#entryOf(record))
    }
    // Numbers that are missing will not come any more.
    this.#through = Math.max(this.#through, records.at(-1)?.number ?? through)
  }

  /** Everything up to this number is settled. */
  forget(number: number): void {
    while ((this.#entries[this.#taken]?.number ?? Number.POSITIVE_INFINITY) <= number) this.take()
    this.#through = Math.max(this.#through, number)
  }

  #keep(entry: Entry): void {
    this.#entries.push(entry)
    this.#bytes += entry.length
    this.#through = entry.number
    this.#end = entry.end
  }

  #entryOf({ number, bytes }: StoredRecord): Entry {
    const { length } = bytes
    try {
      const stored = readRecord(bytes)
      const { storedAt } = stored
      const bornAt = number > this.#inherited ? storedAt : this.#clock.past(storedAt)
      return { ...stored, number, length, bornAt }
    } catch (damage) {
      const now = this.#clock.now()
      const end = this.#end + length
      return { number, length, end, message: bytes, options: {}, storedAt: now, bornAt: now, damage }
    }
  }
}
