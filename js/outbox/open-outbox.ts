import { AlvariumError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { within } from '../base/timeout.js'
import { Backlog } from './backlog.js'
import { Clock } from './clock.js'
import type { StoredMessage, Unstored } from './entry.js'
import { Eraser } from './eraser.js'
import type { Ledger } from './ledger.js'
import type { OutboxSettings } from './options.js'
import { againIn, pause } from './pause.js'
import { readRecord, recordLength } from './record.js'
import { Sender } from './sender.js'
import type { OutboxStore } from './store.js'
import { Writer } from './writer.js'

/** What an opened outbox is told to use. */
export interface OpenOutboxParts {
  readonly settings: OutboxSettings
  readonly store: OutboxStore
  readonly ledger: Ledger
  readonly logger: Logger
  dropped(message: Uint8Array, error: unknown): void
}

/** An outbox whose store is open: the writer puts messages into it, the sender takes them out. */
export class OpenOutbox {
  readonly #parts: OpenOutboxParts
  readonly #writer: Writer
  readonly #sender: Sender
  readonly #eraser: Eraser
  readonly #closing = new AbortController()
  readonly #reaching: Promise<void>
  /** The last attempt to connect the stream has failed. */
  #isAway = false

  constructor(parts: OpenOutboxParts) {
    const { settings, store, ledger, logger } = parts
    const clock = new Clock()
    const backlog = new Backlog(store, clock, ledger)
    this.#parts = parts
    this.#eraser = new Eraser(store, ledger, logger)
    this.#sender = new Sender(settings, {
      ...{ stream: settings.stream, backlog, ledger, clock, logger },
      dropped: parts.dropped,
      settled: () => void this.#eraser.erase(),
    })
    this.#writer = new Writer(store, ledger, clock, {
      makeRoom: (bytes) => this.#makeRoom(bytes),
      stored: (entry) => {
        backlog.offer(entry)
        this.#sender.wake()
      },
    })
    this.#sender.start()
    this.#reaching = this.#reach()
  }

  /** See `Sender.oldestAt`. */
  get oldestAt(): number | undefined {
    return this.#sender.oldestAt
  }

  /** Resolves when it is stored. @throws AlvariumError `QUEUE_FULL`, `STORE_FAILED` */
  async add(unstored: Unstored): Promise<StoredMessage> {
    const { maxBytes, whenFull } = this.#parts.settings
    const length = recordLength(new Uint8Array(), unstored.message)
    const total = this.#parts.ledger.bytes + this.#writer.bytes + length
    if (length > maxBytes || (whenFull === 'reject' && total > maxBytes)) {
      throw full(`outbox: expected at most ${maxBytes} bytes that wait for the stream, got ${total}`)
    }
    return this.#writer.add(unstored)
  }

  /** Sends for as long as it may, and leaves the rest where it is. */
  async close(): Promise<void> {
    const { settings, store, ledger } = this.#parts
    await this.#writer.idle()
    if (!this.#isAway) await within(ledger.empty(), settings.closeTimeoutMs)
    this.#sender.stop()
    this.#closing.abort(new AlvariumError('STREAM_CLOSED', 'outbox: it is closed'))
    try {
      await settings.stream.close?.()
    } finally {
      // A stream that is closed has settled what it had; for one that has not, nobody waits for ever.
      await within(Promise.all([this.#reaching, this.#sender.ended()]), settings.closeTimeoutMs)
      await this.#eraser.erase()
      ledger.end(
        new AlvariumError('STREAM_CLOSED', 'outbox: the message is stored, and goes out at the next start'),
      )
      await store.close()
    }
  }

  /** The broker may be away when the process starts: that is no reason not to store. */
  async #reach(): Promise<void> {
    const { settings, logger } = this.#parts
    const { signal } = this.#closing
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await settings.stream.connect?.({ logger, signal })
        this.#isAway = false
        return this.#sender.online()
      } catch (err) {
        if (signal.aborted) return
        this.#isAway = true
        logger.warn({ err, failures }, 'outbox: the stream could not connect; what comes is stored')
      }
      this.#sender.wake()
      await pause(againIn(failures), signal)
    }
  }

  /** For so many more bytes, by dropping the oldest that are stored. */
  async #makeRoom(bytes: number): Promise<void> {
    const { settings, store, ledger, dropped } = this.#parts
    const { maxBytes } = settings
    while (settings.whenFull === 'drop-oldest' && ledger.bytes > 0 && ledger.bytes + bytes > maxBytes) {
      const [oldest] = await store.read(ledger.settled + 1, 1)
      if (!oldest) return
      // Delivered meanwhile.
      if (oldest.number <= ledger.settled) continue
      const { message, end } = readRecord(oldest.bytes)
      const error = full(`outbox: expected at most ${maxBytes} bytes, and made room for newer messages`)
      ledger.tell(oldest.number, error)
      this.#sender.forget(oldest.number, end)
      dropped(message, error)
    }
  }
}

function full(text: string): AlvariumError {
  return new AlvariumError('QUEUE_FULL', text)
}
