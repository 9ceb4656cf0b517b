import { AlvariumError } from '../../../foundation/base/errors.js'
import { shareRun } from '../../../foundation/base/time/promises.js'
import type { Clock } from './clock.js'
import type { OutboxEntry } from './entry.js'
import type { Ledger } from './ledger.js'
import type { Range } from './mark.js'
import { readRecord } from './record.js'
import type { OutboxStore, StoredRecord } from './store.js'

/** Maximum number of messages in the backlog's memory. `MAX_BYTES` limits their size. */
const MAX_ENTRIES = 256
const MAX_BYTES = 1024 * 1024

/**
 * Queue of stored messages that the sender has not taken. The first messages are in memory, and the others
 * are read from the store when these have been taken. A new message stays in memory only if all do, up to
 * `MAX_ENTRIES` and `MAX_BYTES`. Lost messages have entries too, so that others do not wait for them.
 */
export class Backlog {
  readonly #store: OutboxStore
  readonly #clock: Clock
  readonly #ledger: Ledger
  readonly #onLoss: (gone: Range, error: AlvariumError) => void
  #entries: OutboxEntry[] = []
  #takenCount = 0
  #bytes = 0
  /** Highest record number that is or was in memory. */
  #loadedThrough: number
  #last: number
  /** `RecordContent.end` of the newest entry in memory. */
  #end: number
  /** True while records are read singly, after a failed read of several. */
  #readsSingly = false

  constructor(
    store: OutboxStore,
    clock: Clock,
    ledger: Ledger,
    onLoss: (gone: Range, error: AlvariumError) => void,
  ) {
    const { settled, settledEnd, last } = ledger.edges
    this.#store = store
    this.#clock = clock
    this.#ledger = ledger
    this.#loadedThrough = settled
    this.#last = last
    this.#end = settledEnd
    this.#onLoss = onLoss
  }

  /** True if the store has more messages, and none is in memory. */
  get needsRefill(): boolean {
    return this.#loadedThrough < this.#last && this.#entries.length === 0
  }

  offer(entry: OutboxEntry): void {
    const isNext = this.#loadedThrough === this.#last
    this.#last = entry.number
    if (!isNext || this.#bytes + entry.length > MAX_BYTES) return
    if (this.#entries.length - this.#takenCount < MAX_ENTRIES) this.#push(entry)
  }

  peek(): OutboxEntry | undefined {
    return this.#entries[this.#takenCount]
  }

  take(): OutboxEntry | undefined {
    const entry = this.#entries[this.#takenCount]
    if (!entry) return undefined
    this.#takenCount += 1
    this.#bytes -= entry.length
    if (this.#takenCount >= MAX_ENTRIES || this.#takenCount === this.#entries.length) {
      this.#entries.splice(0, this.#takenCount)
      this.#takenCount = 0
    }
    return entry
  }

  /** Reads more entries into memory, once for all concurrent callers. */
  readonly refill = shareRun(async () => {
    const { settledThrough, last, bytes } = this.#ledger
    const from = this.#loadedThrough + 1
    const average = bytes / Math.max(1, last - settledThrough)
    const fitting = Math.floor(MAX_BYTES / Math.max(1, average))
    const maxCount = this.#readsSingly
      ? 1
      : Math.min(Math.max(1, fitting), MAX_ENTRIES, this.#last - this.#loadedThrough)
    const inStore = this.#last
    const records = await this.#read(from, maxCount)
    if (!records) return
    // Ignore records that this outbox did not store.
    const ownRecords = records.filter(({ number }) => number >= from && number <= inStore)
    // A store may return fewer records than requested, so a number after the newest returned record does not
    // count as lost yet. But a store reads in order: if it returns no records, or records that this outbox
    // did not store, it has no further ones of this outbox, and all missing numbers up to `inStore` are lost.
    const newest = ownRecords.length < records.length ? inStore : ownRecords.at(-1)?.number
    this.#addAll(ownRecords, newest ?? inStore)
  })

  forget(number: number): void {
    while ((this.peek()?.number ?? Number.POSITIVE_INFINITY) <= number) this.take()
    this.#loadedThrough = Math.max(this.#loadedThrough, number)
  }

  /** Returns undefined if the first record is damaged. With `maxCount` 1, that record then counts as lost. */
  async #read(from: number, maxCount: number): Promise<StoredRecord[] | undefined> {
    try {
      return await this.#store.read(from, maxCount)
    } catch (error) {
      if (!(error instanceof AlvariumError && error.code === 'STORE_DAMAGED')) throw error
      if (maxCount === 1) this.#lose([from, from], error)
      this.#readsSingly = maxCount > 1 || this.#loadedThrough < this.#last
      return undefined
    }
  }

  #addAll(records: readonly StoredRecord[], newest: number): void {
    for (const record of records) {
      // `forget()` may have removed the record during the read.
      if (record.number <= this.#loadedThrough) continue
      if (record.number > this.#loadedThrough + 1) this.#loseThrough(record.number - 1)
      this.#addRecord(record)
    }
    if (newest > this.#loadedThrough) this.#loseThrough(newest)
  }

  #addRecord({ number, bytes }: StoredRecord): void {
    const { length } = bytes
    try {
      const stored = readRecord(number, bytes)
      const bornAt = this.#clock.bornAt(number, stored.storedAt)
      this.#push({ ...stored, number, count: 1, length, storedAtMonotonic: bornAt })
    } catch (error) {
      this.#lose([number, number], error as AlvariumError, length)
    }
  }

  #loseThrough(through: number): void {
    const range: Range = [this.#loadedThrough + 1, through]
    this.#lose(
      range,
      new AlvariumError('STORE_DAMAGED', `store: records ${range[0]} to ${through} are missing`),
    )
  }

  #lose(range: Range, error: AlvariumError, length = 0): void {
    this.#onLoss(range, error)
    const now = this.#clock.now()
    const [number, count, end] = [range[1], range[1] - range[0] + 1, this.#end + length]
    this.#push({
      number,
      count,
      length,
      end,
      message: NO_BYTES,
      options: {},
      storedAt: now,
      storedAtMonotonic: now,
      lossError: error,
    })
  }

  #push(entry: OutboxEntry): void {
    this.#entries.push(entry)
    this.#bytes += entry.length
    this.#loadedThrough = entry.number
    this.#end = entry.end
  }
}

const NO_BYTES = new Uint8Array()
