import type { Clock } from './clock.js'
import type { Entry, StoredMessage, Unstored } from './entry.js'
import type { Ledger } from './ledger.js'
import { optionBytes, recordLength, writeRecord } from './record.js'
import type { OutboxStore } from './store.js'

/** Most messages, and about as many bytes, that are stored at a time. */
const MOST_TOGETHER = 1024
const MOST_BYTES = 4 * 1024 * 1024

/** A message that waits to be stored. */
interface Waiting extends Unstored {
  readonly kept: Uint8Array
  readonly length: number
  resolve(stored: StoredMessage): void
  reject(error: unknown): void
}

/** Who is asked, and told, by a {@link Writer}. */
export interface WriterUser {
  /** About to store so many more bytes. A rejection is that of every message among them. */
  makeRoom(bytes: number): Promise<void>
  /** It is stored. */
  stored(entry: Entry): void
  /** Marks how far it is stored, where the store can; nothing where it cannot. */
  marked(): Promise<unknown> | undefined
}

/**
 * Stores messages in the order in which they come. Those that come while others are being stored go together: the disk
 * is waited for once for all of them.
 */
export class Writer {
  readonly #store: OutboxStore
  readonly #ledger: Ledger
  readonly #clock: Clock
  readonly #user: WriterUser
  #waiting: Waiting[] = []
  #bytes = 0
  #writing: Promise<void> | undefined
  /** What is stored, of which the calls do not know yet. */
  readonly #telling = new Set<Promise<void>>()

  constructor(store: OutboxStore, ledger: Ledger, clock: Clock, user: WriterUser) {
    this.#store = store
    this.#ledger = ledger
    this.#clock = clock
    this.#user = user
  }

  /** Bytes that wait to be stored. */
  get bytes(): number {
    return this.#bytes
  }

  /** Resolves when it is stored. */
  add(unstored: Unstored): Promise<StoredMessage> {
    const kept = optionBytes(unstored.options)
    const length = recordLength(kept, unstored.message)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...unstored, kept, length, resolve, reject })
      this.#bytes += length
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined
      })
    })
  }

  /** Resolves when nothing waits. */
  async idle(): Promise<void> {
    while (this.#writing) await this.#writing
    await Promise.all(this.#telling)
  }

  async #write(): Promise<void> {
    // Calls of the same turn go together from the first on.
    await null
    while (this.#waiting.length > 0) {
      const group = this.#group()
      const bytes = group.reduce((sum, { length }) => sum + length, 0)
      try {
        await this.#user.makeRoom(bytes)
        await this.#append(group)
      } catch (error) {
        this.#bytes -= bytes
        for (const { reject } of group) reject(error)
      }
    }
  }

  #group(): Waiting[] {
    let bytes = 0
    let count = 0
    for (const { length } of this.#waiting) {
      bytes += length
      if (count > 0 && (count === MOST_TOGETHER || bytes > MOST_BYTES)) break
      count++
    }
    return this.#waiting.splice(0, count)
  }

  async #append(group: readonly Waiting[]): Promise<void> {
    const { last, lastEnd } = this.#ledger
    const storedAt = this.#clock.now()
    let end = lastEnd
    const entries = group.map(({ message, options, length }, at): Entry => {
      end += length
      return { number: last + 1 + at, count: 1, message, options, length, end, storedAt, bornAt: storedAt }
    })
    const records = entries.map((entry, at) =>
      writeRecord({ ...entry, options: (group[at] as Waiting).kept }),
    )
    await this.#store.append(last + 1, records)
    this.#bytes -= end - lastEnd
    const stored = entries.map((entry) => this.#ledger.add(entry))
    for (const entry of entries) this.#user.stored(entry)
    this.#tell(group, stored)
  }

  /** The next ones are stored while these are marked. */
  #tell(group: readonly Waiting[], stored: readonly StoredMessage[]): void {
    const tell = () => {
      for (const [at, message] of stored.entries()) group[at]?.resolve(message)
    }
    const marked = this.#user.marked()
    if (marked) {
      const telling = marked.then(tell).finally(() => this.#telling.delete(telling))
      this.#telling.add(telling)
    } else tell()
  }
}
