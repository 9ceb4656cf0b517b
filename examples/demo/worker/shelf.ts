/** Queue of messages to the verifier: the SDK's outbox, with limits and counts for the queue panel. */
import {
  type Outbox as MessageStore,
  type OutboxStore,
  outbox,
  type StoredMessage,
} from 'alvarium-sdk/outbox'
import type { Waiting } from '../protocol.ts'
import { MOST_WAITING, MOST_WAITING_BYTES } from '../transport/transport.ts'
import type { Gate } from './gate.ts'
import { AlvariumError } from './sdk.ts'

/** Name of the IndexedDB database that stores waiting messages. */
const STORE = 'alvarium-demo-outbox'
/** Number of messages that are sent in parallel. */
const WINDOW = 256

export class Shelf {
  readonly #box: MessageStore
  readonly #isKept: boolean
  /** Number of messages taken into the outbox: those left by an earlier page, and those of this page. */
  #taken: number
  #underWay = 0
  #refused = 0

  private constructor(box: MessageStore, isKept: boolean) {
    this.#box = box
    this.#isKept = isKept
    this.#taken = box.stored.messages
  }

  /**
   * Opens the outbox, and sends messages of an earlier page. Without storage, messages last only as long as
   * the page.
   */
  static async open(gate: Gate): Promise<Shelf> {
    const boxed = (store: string | OutboxStore) =>
      outbox({
        stream: { publish: (message) => gate.publish(message) },
        store,
        maxInFlight: WINDOW,
        maxBytes: MOST_WAITING_BYTES,
      })
    const kept = boxed(STORE)
    try {
      await kept.connect()
      return new Shelf(kept, true)
    } catch {
      const lasting = boxed(inMemory())
      await lasting.connect()
      return new Shelf(lasting, false)
    }
  }

  /** Publishes a message. Resolves when it is stored. @throws AlvariumError `QUEUE_FULL`, `STORE_FAILED` */
  async publish(message: Uint8Array): Promise<StoredMessage> {
    this.#assertRoom()
    this.#underWay++
    try {
      const stored = await this.#box.publish(message)
      this.#taken++
      return stored
    } catch (error) {
      if (error instanceof AlvariumError && error.code === 'QUEUE_FULL') this.#refused++
      throw error
    } finally {
      this.#underWay--
    }
  }

  waiting(): Waiting {
    const { messages, bytes, oldestAt } = this.#box.stored
    return {
      calls: messages,
      bytes,
      refused: this.#refused,
      out: Math.max(0, this.#taken - messages),
      isKept: this.#isKept,
      ...(oldestAt !== undefined && { oldestSince: oldestAt }),
    }
  }

  #assertRoom(): void {
    if (this.#box.stored.messages + this.#underWay < MOST_WAITING) return
    this.#refused++
    throw new AlvariumError(
      'QUEUE_FULL',
      `queue: expected at most ${MOST_WAITING} messages waiting, got one more`,
    )
  }
}

/** Returns a store in memory, for a second tab, private windows and pages without Web Locks. */
function inMemory(): OutboxStore {
  const records = new Map<number, Uint8Array>()
  return {
    open: async () => undefined,
    append: async (first, more) => more.forEach((bytes, at) => void records.set(first + at, bytes)),
    read: async (from, most) =>
      Array.from({ length: most }, (_, at) => from + at).flatMap((number) => {
        const bytes = records.get(number)
        return bytes ? [{ number, bytes }] : []
      }),
    deleteThrough: async (through) => {
      for (const number of records.keys()) if (number <= through) records.delete(number)
    },
    close: async () => {},
  }
}
