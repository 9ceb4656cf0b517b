import { Change } from '../base/change.js'
import { AlvariumError, streamError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { TOO_LATE, within } from '../base/timeout.js'
import type { StreamRoom } from '../streams/stream.js'
import { Aside, type SetAsideMessage } from './aside.js'
import { Backlog } from './backlog.js'
import { Clock } from './clock.js'
import type { Entry, StoredMessage, Unstored } from './entry.js'
import { Eraser } from './eraser.js'
import type { Damage } from './events.js'
import { find } from './found.js'
import { Ledger } from './ledger.js'
import { Losses } from './losses.js'
import { Marker } from './mark.js'
import type { OutboxSettings } from './options.js'
import { againIn, pause } from './pause.js'
import { recordLength } from './record.js'
import { Sender } from './sender.js'
import { type OutboxStats, type Stored, statsOf } from './stats.js'
import type { OutboxStore } from './store.js'
import { Writer } from './writer.js'

/** What an opened outbox is told to use, and whom it tells. */
export interface OpenOutboxParts {
  readonly settings: OutboxSettings
  readonly store: OutboxStore
  readonly logger: Logger
  /** Whether nobody wants it any more. */
  isUnwanted(): boolean | undefined
  dropped(message: Uint8Array, error: unknown): void
  damaged(damage: Damage): void
  setAside(message: SetAsideMessage, error: AlvariumError): void
}

/** What was found in the store. */
interface Contents {
  readonly ledger: Ledger
  readonly aside: Aside
  readonly losses: Losses
  /** The last number before the first that is there. */
  readonly erased: number
}

const NO_OPTIONS = new Uint8Array()

/** An outbox whose store is open: the writer puts messages into it, the sender takes them out. */
export class OpenOutbox {
  readonly #parts: OpenOutboxParts
  readonly #ledger: Ledger
  readonly #aside: Aside
  readonly #losses: Losses
  readonly #writer: Writer
  readonly #sender: Sender
  readonly #eraser: Eraser
  readonly #marker: Marker
  /** Less is stored than before. */
  readonly #left = new Change()
  readonly #closing = new AbortController()
  readonly #reaching: Promise<void>
  #delivered = 0
  #isOnline = false
  /** The last attempt to connect the stream has failed. */
  #isAway = false

  /**
   * Opens the store, and lets go of it again when that fails, or nobody wants it any more: then there is none.
   *
   * @throws AlvariumError `STORE_LOCKED`, `STORE_FAILED`
   */
  static async over(parts: OpenOutboxParts): Promise<OpenOutbox | undefined> {
    const { store, logger } = parts
    try {
      const opened = (await store.open()) ?? {}
      if (opened.foreign) {
        logger.warn({ entries: opened.foreign }, 'outbox: the store has entries that are not from an outbox')
      }
      const { mark, missing } = await find(store, opened)
      const ledger = new Ledger(mark)
      const aside = await Aside.of(store.aside, ledger)
      ledger.startAfter(aside.last)
      const losses = new Losses(store, ledger, parts.damaged)
      if (parts.isUnwanted()) {
        await store.close()
        return undefined
      }
      await losses.atStart(missing, mark.aside, aside)
      return new OpenOutbox(parts, {
        ledger,
        aside,
        losses,
        erased: (opened.first ?? ledger.settled + 1) - 1,
      })
    } catch (error) {
      await store.close().catch((err) => logger.warn({ err }, 'outbox: the store could not be closed'))
      throw error
    }
  }

  private constructor(parts: OpenOutboxParts, { ledger, aside, losses, erased }: Contents) {
    const { settings, store, logger } = parts
    const clock = new Clock()
    const backlog = new Backlog(store, clock, ledger, (gone, error) => losses.found(gone, error))
    this.#parts = parts
    this.#ledger = ledger
    this.#aside = aside
    this.#losses = losses
    this.#marker = new Marker(store, () => ({ ...ledger.edges, aside: aside.count }), logger)
    this.#eraser = new Eraser(store, ledger, this.#marker, logger, erased)
    this.#sender = new Sender(settings, {
      ...{ stream: settings.stream, backlog, ledger, clock, logger },
      dropped: parts.dropped,
      accepted: () => this.#delivered++,
      setAside: (entry, error) => this.#setAside(entry, error),
      settled: () => {
        this.#left.tell()
        this.#eraser.settled()
      },
    })
    this.#writer = new Writer(store, ledger, clock, {
      makeRoom: (bytes) => this.#makeRoom(bytes),
      stored: (entry) => {
        backlog.offer(entry)
        this.#sender.wake()
      },
      marked: () => this.#marker.mark(),
    })
    this.#eraser.settled()
    this.#sender.start()
    this.#reaching = this.#reach()
  }

  get stored(): Stored {
    const { messages, bytes } = this.#ledger
    const { oldestAt } = this.#sender
    return { messages, bytes, ...(oldestAt !== undefined && { oldestAt }) }
  }

  get stats(): OutboxStats {
    return statsOf(this.#parts.settings.stream, {
      online: this.#isOnline,
      queued: this.#sender.inFlight,
      acknowledged: this.#delivered,
      stored: this.stored,
      setAside: this.#aside.count,
      damaged: this.#losses.count,
    })
  }

  /** Resolves when it is stored. @throws AlvariumError `QUEUE_FULL`, `STORE_FAILED` */
  async add(unstored: Unstored): Promise<StoredMessage> {
    const { maxBytes, whenFull } = this.#parts.settings
    const length = recordLength(NO_OPTIONS, unstored.message)
    const least = this.#aside.bytes + length
    const total = this.#ledger.bytes + this.#writer.bytes + least
    if (least > maxBytes || (whenFull === 'reject' && total > maxBytes)) {
      throw full(`outbox: expected at most ${maxBytes} bytes that wait for the stream, got ${total}`)
    }
    return this.#writer.add(unstored)
  }

  /** Whether so much more finds room now; else when to ask again. What is longer than all room there is, waits for none. */
  hasRoom({ messages, bytes }: StreamRoom): true | Promise<void> {
    const { maxBytes, whenFull } = this.#parts.settings
    const stored = this.#aside.bytes + this.#ledger.bytes + this.#writer.bytes
    const isEmpty = stored === 0 && messages <= 1
    const fits = stored + bytes + RECORD_BYTES * messages <= maxBytes
    return whenFull !== 'reject' || isEmpty || fits || this.#left.next
  }

  setAsideMessages(): AsyncGenerator<SetAsideMessage, void, undefined> {
    return this.#aside.all()
  }

  async resend(id: number): Promise<StoredMessage> {
    const message = await this.#aside.resend(id, (unstored) => {
      this.#closing.signal.throwIfAborted()
      return this.#writer.add(unstored)
    })
    await this.#marker.mark()
    return message
  }

  async discard(id: number): Promise<void> {
    await this.#aside.discard(id)
    await this.#marker.mark()
    this.#left.tell()
  }

  /** Sends for as long as it may, and leaves the rest where it is. */
  async close(): Promise<void> {
    const { settings, store } = this.#parts
    const { closeTimeoutMs } = settings
    await within(this.#drained(), closeTimeoutMs)
    this.#sender.stop()
    this.#closing.abort(new AlvariumError('STREAM_CLOSED', 'outbox: it is closed'))
    // A stream that is closed has settled what it had; for one that has not, nobody waits for ever.
    const failure = await within(this.#streamClosed(), closeTimeoutMs)
    const text = 'outbox: the message is stored, and is sent at the next start'
    this.#ledger.end(new AlvariumError('STREAM_CLOSED', text))
    await within(this.#erased(), closeTimeoutMs)
    await within(store.close(), closeTimeoutMs)
    if (failure && failure !== TOO_LATE) throw failure
  }

  /** What is being stored is, and what can be sent has gone out. */
  async #drained(): Promise<void> {
    await this.#writer.idle()
    if (!this.#isAway) await this.#ledger.empty()
  }

  /** Resolves with what went wrong, if something did. */
  async #streamClosed(): Promise<AlvariumError | undefined> {
    let failure: AlvariumError | undefined
    try {
      await this.#parts.settings.stream.close?.()
    } catch (error) {
      failure = streamError('STREAM_FAILED', 'stream.close: expected to close', error)
    }
    await Promise.all([this.#reaching, this.#sender.ended()])
    return failure
  }

  async #erased(): Promise<void> {
    await this.#eraser.erase()
    await this.#marker.mark()
  }

  /** The broker may be away when the process starts: that is no reason not to store. */
  async #reach(): Promise<void> {
    const { settings, logger } = this.#parts
    const { signal } = this.#closing
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await settings.stream.connect?.({ logger, signal })
        this.#isAway = false
        this.#isOnline = true
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

  async #setAside(entry: Entry, error: AlvariumError): Promise<boolean> {
    const { logger, setAside } = this.#parts
    try {
      if (!(await this.#aside.put(entry, error))) return false
    } catch (err) {
      logger.error({ err }, 'outbox: a message could not be set aside, and is sent again')
      return false
    }
    // Not waited for: until it has left the others, it counts twice.
    void this.#marker.mark()
    const { number, message, storedAt } = entry
    setAside({ id: number, message, storedAt, error: error.message }, error)
    return true
  }

  /** For so many more bytes, by dropping the oldest that are stored. */
  async #makeRoom(bytes: number): Promise<void> {
    const { maxBytes, whenFull } = this.#parts.settings
    const ledger = this.#ledger
    const isFull = () => ledger.bytes > 0 && ledger.bytes + this.#aside.bytes + bytes > maxBytes
    while (whenFull === 'drop-oldest' && isFull()) {
      const oldest = await this.#sender.oldest()
      // Something may have left meanwhile.
      if (!oldest || !isFull()) return
      const error = full(`outbox: expected at most ${maxBytes} bytes, and made room for newer messages`)
      ledger.tell(oldest.number, oldest.gone ?? error)
      this.#sender.forget(oldest.number, oldest.end)
      if (!oldest.gone) this.#parts.dropped(oldest.message, error)
    }
  }
}

/** What a record has beside its message, at most: with us, options are a media type. */
const RECORD_BYTES = 256

function full(text: string): AlvariumError {
  return new AlvariumError('QUEUE_FULL', text)
}
