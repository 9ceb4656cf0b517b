import { isSame } from '../../../foundation/base/bytes/same.js'
import { AlvariumError } from '../../../foundation/base/errors.js'
import type { NewMessage, OutboxEntry, StoredMessage } from './entry.js'
import type { Ledger } from './ledger.js'
import { optionBytes, readRecord, type StoredOptions, writeRecord } from './record.js'
import type { SetAsideStore } from './store.js'

/** A message that an outbox has set aside. */
export interface SetAsideMessage {
  /** Id to pass to `resend` or `discard`. */
  readonly id: number
  /** The message that was passed to `publish`. */
  readonly message: Uint8Array
  /** Time of storage in milliseconds since 1970, by the clock of the machine that stored the message. */
  readonly storedAt: number
  /** Text of the error for which the message was set aside. */
  readonly error: string
}

interface SetAsideOptions {
  readonly options: StoredOptions
  readonly error: string
}

/** Messages that are set aside until the application resends or discards them. */
export class SetAsideList {
  readonly #store: SetAsideStore | undefined
  readonly #ledger: Ledger
  readonly #lengths = new Map<number, number>()
  #bytes = 0
  /** Calls of `resend` and `discard` in progress, by id. Later ones for the same message wait. */
  readonly #deciding = new Map<number, Promise<unknown>>()
  readonly damaged: number[] = []

  private constructor(store: SetAsideStore | undefined, ledger: Ledger) {
    this.#store = store
    this.#ledger = ledger
  }

  static async load(store: SetAsideStore | undefined, ledger: Ledger): Promise<SetAsideList> {
    const list = new SetAsideList(store, ledger)
    for (const number of (await store?.numbers()) ?? []) {
      const found = await list.#read(number)
      if (found) list.#add(number, found.length)
      else list.damaged.push(number)
    }
    return list
  }

  get count(): number {
    return this.#lengths.size
  }

  get last(): number {
    return [...this.#lengths.keys(), ...this.damaged].reduce((last, number) => Math.max(last, number), 0)
  }

  get bytes(): number {
    return this.#bytes
  }

  /**
   * Sets a message aside. Resolves with false if the store cannot set messages aside, or if another message
   * that is set aside has this number.
   */
  async put(
    { number, message, options, storedAt, end }: OutboxEntry,
    error: AlvariumError,
  ): Promise<boolean> {
    if (!this.#store) return false
    // An outbox whose mark is lost may assign a number twice.
    const existingMessage = this.#lengths.has(number) ? await this.#read(number) : undefined
    if (existingMessage && !isSame(existingMessage.message, message)) return false
    const encodedOptions = optionBytes({ options, error: error.message } satisfies SetAsideOptions)
    const record = writeRecord({ number, message, options: encodedOptions, storedAt, end })
    await this.#store.put(number, record)
    this.#add(number, record.length)
    return true
  }

  /** Deletes damaged records, so that each is reported once. */
  async deleteDamaged(): Promise<void> {
    for (const id of this.damaged.splice(0)) await this.#store?.delete(id)
  }

  /** Yields the messages in the order in which they were stored. */
  async *all(): AsyncGenerator<SetAsideMessage, void, undefined> {
    for (const id of [...this.#lengths.keys()].sort((one, other) => one - other)) {
      const found = await this.#read(id)
      if (!found) continue
      const { message, storedAt, error } = found
      yield { id, message, storedAt, error }
    }
  }

  /** Stores a message again with `add`, after all other messages. @throws RangeError for an unknown id */
  resend(id: number, add: (added: NewMessage) => Promise<StoredMessage>): Promise<StoredMessage> {
    return this.#runAlone(id, async () => {
      const { message, options } = await this.#expect(id)
      const stored = await add({ message, options })
      await this.#delete(id)
      // Settle the original publish() together with this one.
      stored.delivered.then(
        () => this.#ledger.settleMessage(id),
        (error) => this.#ledger.settleMessage(id, error),
      )
      return stored
    })
  }

  /** Deletes a message. @throws RangeError if no message has this id */
  discard(id: number): Promise<void> {
    return this.#runAlone(id, async () => {
      const { error } = await this.#expect(id)
      await this.#delete(id)
      const text = `outbox: the message was set aside, and then discarded: ${error}`
      this.#ledger.settleMessage(id, new AlvariumError('STREAM_SUSPECT', text))
    })
  }

  async #runAlone<Result>(id: number, decide: () => Promise<Result>): Promise<Result> {
    while (this.#deciding.has(id)) await this.#deciding.get(id)
    const deciding = decide()
    this.#deciding.set(
      id,
      deciding.catch(() => {}),
    )
    try {
      return await deciding
    } finally {
      this.#deciding.delete(id)
    }
  }

  async #expect(id: number) {
    if (!this.#lengths.has(id))
      throw new RangeError(`id: expected the id of a message that is set aside, got ${id}`)
    const found = await this.#read(id)
    if (found) return found
    throw new AlvariumError(
      'STORE_DAMAGED',
      `outbox: message ${id} was set aside, and cannot be read any more`,
    )
  }

  #add(id: number, length: number): void {
    this.#bytes += length - (this.#lengths.get(id) ?? 0)
    this.#lengths.set(id, length)
  }

  async #delete(id: number): Promise<void> {
    await this.#store?.delete(id)
    this.#bytes -= this.#lengths.get(id) ?? 0
    this.#lengths.delete(id)
  }

  async #read(id: number) {
    const record = await this.#store?.read(id)
    if (!record) return undefined
    try {
      const { options, ...stored } = readRecord(id, record)
      return { ...stored, ...(options as unknown as SetAsideOptions), length: record.length }
    } catch {
      return undefined
    }
  }
}
