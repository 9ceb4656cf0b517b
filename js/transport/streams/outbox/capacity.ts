import { AlvariumError, expected } from '../../../foundation/base/errors.js'
import type { StreamRoom } from '../stream.js'
import type { Ledger } from './ledger.js'
import type { OutboxSettings } from './options.js'
import { minRecordLength } from './record.js'
import type { Sender } from './sender.js'
import type { SetAsideList } from './set-aside.js'
import type { Writer } from './writer.js'

export interface CapacityParts {
  readonly ledger: Ledger
  readonly setAsideList: SetAsideList
  readonly writer: Writer
  readonly sender: Sender
  dropped(message: Uint8Array, error: unknown): void
}

/** Estimate of the bytes of a record besides its message. A trace context has up to 567 bytes. */
const MAX_OVERHEAD_BYTES = 1024

/** Limit for the stored bytes of messages that wait for the stream, are set aside, or are being stored. */
export class Capacity {
  readonly #options: OutboxSettings
  readonly #parts: CapacityParts

  constructor(options: OutboxSettings, parts: CapacityParts) {
    this.#options = options
    this.#parts = parts
  }

  assertRoom(message: Uint8Array): void {
    const { maxBytes, whenFull } = this.#options
    const { setAsideList, ledger, writer } = this.#parts
    const minBytes = setAsideList.bytes + minRecordLength(message)
    const total = ledger.bytes + writer.bytes + minBytes
    if (minBytes > maxBytes || (whenFull === 'reject' && total > maxBytes)) {
      throw expected('QUEUE_FULL', 'outbox', `at most ${maxBytes} bytes that wait for the stream`, `${total}`)
    }
  }

  /**
   * Returns whether the given messages fit. Any fit with `drop-oldest`, and a single one of any size in an
   * empty store.
   */
  hasRoom({ messages, bytes }: StreamRoom): boolean {
    const { maxBytes, whenFull } = this.#options
    const { setAsideList, ledger, writer } = this.#parts
    const stored = setAsideList.bytes + ledger.bytes + writer.bytes
    const isEmpty = stored === 0 && messages <= 1
    const fits = stored + bytes + MAX_OVERHEAD_BYTES * messages <= maxBytes
    return whenFull !== 'reject' || isEmpty || fits
  }

  /** Drops the oldest messages until the given bytes fit, for `drop-oldest`. */
  async makeRoom(bytes: number): Promise<void> {
    const { maxBytes, whenFull } = this.#options
    const { setAsideList, ledger, sender, dropped } = this.#parts
    const isFull = () => ledger.bytes > 0 && ledger.bytes + setAsideList.bytes + bytes > maxBytes
    while (whenFull === 'drop-oldest' && isFull()) {
      const oldest = await sender.oldest()
      // Messages may have been settled during the wait.
      if (!oldest || !isFull()) return
      const text = `outbox: the message was dropped, because newer messages need its place within ${maxBytes} bytes`
      const error = new AlvariumError('QUEUE_FULL', text)
      ledger.settleMessage(oldest.number, oldest.lossError ?? error)
      sender.forget(oldest.number, oldest.end)
      if (!oldest.lossError) dropped(oldest.message, error)
    }
  }
}
