import { GroupCommit } from '../group-commit.js'
import type { Clock } from './clock.js'
import type { NewMessage, OutboxEntry, StoredMessage } from './entry.js'
import type { Ledger } from './ledger.js'
import { optionBytes, recordLength, writeRecord } from './record.js'
import type { OutboxStore } from './store.js'

/** Maximum messages of one write, and approximate maximum of their bytes. */
const GROUP_LIMITS = { count: 1024, bytes: 4 * 1024 * 1024 }

/** A message whose options are encoded, so that its length is known. */
interface EncodedMessage extends NewMessage {
  readonly encodedOptions: Uint8Array
  readonly length: number
}

export interface WriterHandler {
  /** Makes room for some bytes. If it rejects, so does `add()` for each message of the group. */
  makeRoom(bytes: number): Promise<void>
  stored(entry: OutboxEntry): void
  /** Writes the store's `Mark`, unless the store has none. */
  mark(): Promise<unknown> | undefined
}

/** Writer that stores messages in groups, in the order of the calls. */
export class Writer {
  readonly #store: OutboxStore
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #handler: WriterHandler
  readonly #queue: GroupCommit<EncodedMessage, readonly OutboxEntry[], StoredMessage>

  constructor(store: OutboxStore, ledger: Ledger, clock: Clock, user: WriterHandler) {
    this.#store = store
    this.#ledger = ledger
    this.#clock = clock
    this.#handler = user
    this.#queue = new GroupCommit(GROUP_LIMITS, {
      write: (group) => this.#write(group),
      written: (entries) => this.#resultsOf(entries),
    })
  }

  get bytes(): number {
    return this.#queue.bytes
  }

  add({ message, options }: NewMessage): Promise<StoredMessage> {
    const encodedOptions = optionBytes(options)
    return this.#queue.add({
      message,
      options,
      encodedOptions,
      length: recordLength(encodedOptions, message),
    })
  }

  idle(): Promise<void> {
    return this.#queue.idle()
  }

  async #write(group: readonly EncodedMessage[]): Promise<OutboxEntry[]> {
    await this.#handler.makeRoom(group.reduce((sum, { length }) => sum + length, 0))
    const { last, lastEnd } = this.#ledger
    const bornAt = this.#clock.beginStoring(last + 1, group.length)
    const storedAt = this.#clock.machineTime(bornAt)
    let end = lastEnd
    const entries = group.map(({ message, options, length }, at): OutboxEntry => {
      end += length
      return {
        number: last + 1 + at,
        count: 1,
        message,
        options,
        length,
        end,
        storedAt,
        storedAtMonotonic: bornAt,
      }
    })
    const records = entries.map(({ number, message, storedAt, end }, at) =>
      writeRecord({ number, message, options: (group[at] as EncodedMessage).encodedOptions, storedAt, end }),
    )
    await this.#store.append(last + 1, records)
    return entries
  }

  #resultsOf(entries: readonly OutboxEntry[]) {
    const results = entries.map((entry) => this.#ledger.add(entry))
    for (const entry of entries) this.#handler.stored(entry)
    return { results, after: this.#handler.mark() }
  }
}
