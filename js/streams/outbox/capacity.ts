import { AlvariumError, expected } from '../../base/errors.js'
import type { StreamRoom } from '../stream.js'
import type { Aside } from './aside.js'
import type { Ledger } from './ledger.js'
import { leastLength } from './record.js'
import type { Sender } from './sender.js'
import type { Writer } from './writer.js'

/** How much may be stored, and what happens then. */
export interface CapacityOptions {
  readonly maxBytes: number
  readonly whenFull: 'reject' | 'drop-oldest'
}

/** What takes room, and what can make room. */
export interface CapacityParts {
  readonly ledger: Ledger
  readonly aside: Aside
  readonly writer: Writer
  readonly sender: Sender
  /** Is told what made room for others. */
  dropped(message: Uint8Array, error: unknown): void
}

/** What a record has beside its message, at most: with us, options are a media type. */
const RECORD_BYTES = 256

/** The bytes that an outbox may have stored: what waits for the stream, what is set aside, and what is about to be stored. */
export class Capacity {
  readonly #options: CapacityOptions
  readonly #parts: CapacityParts

  constructor(options: CapacityOptions, parts: CapacityParts) {
    this.#options = options
    this.#parts = parts
  }

  /** @throws AlvariumError `QUEUE_FULL` when there is none for a message */
  assertFor(message: Uint8Array): void {
    const { maxBytes, whenFull } = this.#options
    const { aside, ledger, writer } = this.#parts
    const least = aside.bytes + leastLength(message)
    const total = ledger.bytes + writer.bytes + least
    if (least > maxBytes || (whenFull === 'reject' && total > maxBytes)) {
      throw expected('QUEUE_FULL', 'outbox', `at most ${maxBytes} bytes that wait for the stream`, `${total}`)
    }
  }

  /** Whether so much more finds room now. What is longer than all room there is, waits for none. */
  has({ messages, bytes }: StreamRoom): boolean {
    const { maxBytes, whenFull } = this.#options
    const { aside, ledger, writer } = this.#parts
    const stored = aside.bytes + ledger.bytes + writer.bytes
    const isEmpty = stored === 0 && messages <= 1
    const fits = stored + bytes + RECORD_BYTES * messages <= maxBytes
    return whenFull !== 'reject' || isEmpty || fits
  }

  /** For so many more bytes, by dropping the oldest that are stored. */
  async make(bytes: number): Promise<void> {
    const { maxBytes, whenFull } = this.#options
    const { aside, ledger, sender, dropped } = this.#parts
    const isFull = () => ledger.bytes > 0 && ledger.bytes + aside.bytes + bytes > maxBytes
    while (whenFull === 'drop-oldest' && isFull()) {
      const oldest = await sender.oldest()
      // Something may have left meanwhile.
      if (!oldest || !isFull()) return
      const text = `outbox: expected at most ${maxBytes} bytes, and made room for newer messages`
      const error = new AlvariumError('QUEUE_FULL', text)
      ledger.tell(oldest.number, oldest.gone ?? error)
      sender.forget(oldest.number, oldest.end)
      if (!oldest.gone) dropped(oldest.message, error)
    }
  }
}
