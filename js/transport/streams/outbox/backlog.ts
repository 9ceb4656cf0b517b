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
 * Queue of stored messages that the sender has not taken yet. The first entries are in memory. When they
 * are taken, the backlog reads more entries from the store. A message that is stored while the whole queue is
 * in memory stays in memory, up to `MAX_ENTRIES` and `MAX_BYTES`. Lost messages have entries too, so that
 * later messages do not wait for them.
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
  /** Total bytes of all records up to the newest entry in memory, as in `RecordContent.end`. */
  #end: number
  /** True while records are read one at a time, because a read of several records has failed. */
  #readsSingly = false

  /** @param onLoss - called when the backlog finds messages to be lost, with their numbers and the error */
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

  /** True if no entry in memory is left, and the store has more. */
  get needsRefill(): boolean {
    return this.#loadedThrough < this.#last && this.#entries.length === 0
  }

  /** Adds a message that has just been stored, behind all other messages. */
  offer(entry: OutboxEntry): void {
    const isNext = this.#loadedThrough === this.#last
    this.#last = entry.number
    if (!isNext || this.#bytes + entry.length > MAX_BYTES) return
    if (this.#entries.length - this.#takenCount < MAX_ENTRIES) this.#push(entry)
  }

  /** Returns the next entry in memory, without removing it. */
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
    // Ignore records with a number below `from` or above `inStore`, because this outbox did not store them.
    const ownRecords = records.filter(({ number }) => number >= from && number <= inStore)
    // Count missing numbers as lost only up to `newest`, because a store may return fewer records than
    // requested. If it returns none, or some that are not ours, `#addAll` counts all other numbers up to
    // `inStore` as lost.
    const newest = ownRecords.length < records.length ? inStore : ownRecords.at(-1)?.number
    this.#addAll(ownRecords, newest ?? inStore)
  })

  /** Removes all entries up to a number, because their messages are settled. */
  forget(number: number): void {
    while ((this.peek()?.number ?? Number.POSITIVE_INFINITY) <= number) this.take()
    this.#loadedThrough = Math.max(this.#loadedThrough, number)
  }

  /**
   * Reads records. Returns undefined if the first record is damaged. If `maxCount` is 1, also counts that record
   * as lost.
   */
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

  /** Adds records to the entries in memory. Counts missing numbers up to `newest` as lost. */
  #addAll(records: readonly StoredRecord[], newest: number): void {
    for (const record of records) {
      // Skip a record that `forget()` has removed during the read.
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
