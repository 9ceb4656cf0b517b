import { AlvariumError, streamError } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import { Notifier } from '../../../foundation/base/time/notifier.js'
import { TOO_LATE, within } from '../../../foundation/base/time/timeout.js'
import { giveHeard } from '../heard.js'
import type { StreamRoom } from '../stream.js'
import type { Aside, SetAsideMessage } from './aside.js'
import { Backlog } from './backlog.js'
import { Capacity } from './capacity.js'
import { Clock } from './clock.js'
import { type Contents, openContents } from './contents.js'
import { Downstream, type OutboxStats, type Stored, statsOf } from './downstream.js'
import type { NewMessage, OutboxEntry, StoredMessage } from './entry.js'
import type { Damage } from './events.js'
import type { Ledger } from './ledger.js'
import type { Losses } from './losses.js'
import type { Mark } from './mark.js'
import { Marker } from './marker.js'
import type { OutboxSettings } from './options.js'
import { Sender } from './sender.js'
import type { OutboxStore } from './store.js'
import { Writer } from './writer.js'

export interface OpenOutboxParts {
  readonly settings: OutboxSettings
  readonly store: OutboxStore
  readonly logger: Logger
  /** Returns whether the caller no longer needs the outbox. */
  isUnwanted(): boolean | undefined
  dropped(message: Uint8Array, error: unknown): void
  damaged(damage: Damage): void
  setAside(message: SetAsideMessage, error: AlvariumError): void
}

/** An outbox whose store is open: the writer puts messages into it, the sender takes them out. */
export class OpenOutbox {
  readonly #parts: OpenOutboxParts
  readonly #ledger: Ledger
  readonly #aside: Aside
  readonly #clock: Clock
  readonly #losses: Losses
  readonly #topics: Set<string>
  readonly #writer: Writer
  readonly #capacity: Capacity
  readonly #sender: Sender
  readonly #marker: Marker
  /** Notifier of freed capacity. */
  readonly #left = new Notifier()
  readonly #closing = new AbortController()
  readonly #downstream: Downstream
  readonly #connecting: Promise<void>
  #delivered = 0

  /**
   * Opens the store. Closes it again if that fails. Also closes it, and returns undefined, if the caller no longer
   * needs it.
   *
   * @throws AlvariumError `STORE_LOCKED`, `STORE_FAILED`
   */
  static async over(parts: OpenOutboxParts): Promise<OpenOutbox | undefined> {
    const { store, logger } = parts
    try {
      const contents = await openContents(store, logger, parts.damaged)
      if (!parts.isUnwanted()) {
        await contents.tellLosses()
        return new OpenOutbox(parts, contents)
      }
      await store.close()
      return undefined
    } catch (error) {
      await store.close().catch((err) => logger.warn({ err }, 'outbox: the store could not be closed'))
      throw error
    }
  }

  private constructor(parts: OpenOutboxParts, contents: Contents) {
    const { settings, store, logger } = parts
    const { ledger, aside, losses, sets, topics, deleted, isMarkLost } = contents
    this.#parts = parts
    this.#ledger = ledger
    this.#aside = aside
    this.#losses = losses
    this.#topics = new Set(topics)
    giveHeard(settings.stream, this.#topics)
    this.#clock = new Clock(settings.maxAgeMs, sets, ledger.last)
    const backlog = new Backlog(store, this.#clock, ledger, (gone, error) => losses.found(gone, error))
    this.#marker = new Marker({ store, ledger, logger, current: () => this.#mark }, deleted)
    this.#sender = this.#senderOf(backlog)
    this.#writer = this.#writerTo(backlog)
    const [writer, sender] = [this.#writer, this.#sender]
    this.#capacity = new Capacity(settings, { ledger, aside, writer, sender, dropped: parts.dropped })
    if (isMarkLost) void this.#marker.mark()
    this.#marker.settled()
    this.#sender.start()
    this.#downstream = new Downstream(settings.stream, logger, this.#closing.signal, {
      online: () => this.#sender.online(),
      failed: () => this.#sender.wake(),
    })
    this.#connecting = this.#downstream.run()
  }

  #senderOf(backlog: Backlog): Sender {
    const { settings, logger, dropped } = this.#parts
    return new Sender(settings, {
      ...{ stream: settings.stream, backlog, ledger: this.#ledger, clock: this.#clock, logger, dropped },
      accepted: () => this.#delivered++,
      setAside: (entry, error) => this.#setAside(entry, error),
      settled: () => {
        this.#left.tell()
        this.#marker.settled()
      },
    })
  }

  #writerTo(backlog: Backlog): Writer {
    return new Writer(this.#parts.store, this.#ledger, this.#clock, {
      makeRoom: (bytes) => this.#capacity.make(bytes),
      stored: (entry) => {
        backlog.offer(entry)
        this.#sender.wake()
      },
      marked: () => this.#marker.mark(),
    })
  }

  /** The present state, for the next start. */
  get #mark(): Mark {
    const { edges, settled } = this.#ledger
    const sets = this.#clock.setsAfter(settled)
    return {
      ...edges,
      aside: this.#aside.count,
      markedAt: this.#clock.machineTime(this.#clock.now()),
      sets,
      topics: [...this.#topics],
    }
  }

  get stored(): Stored {
    const { messages, bytes } = this.#ledger
    const { oldestAt } = this.#sender
    return { messages, bytes, ...(oldestAt !== undefined && { oldestAt: this.#clock.machineTime(oldestAt) }) }
  }

  get stats(): OutboxStats {
    return statsOf(this.#parts.settings.stream, {
      online: this.#downstream.isOnline,
      queued: this.#sender.inFlight,
      acknowledged: this.#delivered,
      stored: this.stored,
      setAside: this.#aside.count,
      damaged: this.#losses.count,
    })
  }

  /** Stores a message durably. @throws AlvariumError `QUEUE_FULL`, `STORE_FAILED` */
  async add(added: NewMessage): Promise<StoredMessage> {
    this.#capacity.assertFor(added.message)
    return this.#store(added)
  }

  /**
   * Returns true if there is room for so much more, otherwise a promise that resolves when it is worth asking again.
   * Also true for one message and an empty store, because waiting would not help a message over the limit.
   */
  hasRoom(more: StreamRoom): true | Promise<void> {
    return this.#capacity.has(more) || this.#left.next
  }

  setAsideMessages(): AsyncGenerator<SetAsideMessage, void, undefined> {
    return this.#aside.all()
  }

  async resend(id: number): Promise<StoredMessage> {
    const message = await this.#aside.resend(id, (added) => {
      this.#closing.signal.throwIfAborted()
      return this.#store(added)
    })
    await this.#marker.mark()
    return message
  }

  async discard(id: number): Promise<void> {
    await this.#aside.discard(id)
    await this.#marker.mark()
    this.#left.tell()
  }

  /** Sends for at most `closeTimeoutMs`, and leaves the rest in the store. */
  async close(): Promise<void> {
    const { settings, store } = this.#parts
    const { closeTimeoutMs } = settings
    await within(this.#drained(), closeTimeoutMs)
    this.#sender.stop()
    this.#closing.abort(new AlvariumError('STREAM_CLOSED', 'outbox: it is closed'))
    // A closed stream has settled the messages in flight. If it does not close, stop waiting.
    const failure = await within(this.#streamClosed(), closeTimeoutMs)
    const text = 'outbox: the message is stored, and is sent at the next start'
    this.#ledger.end(new AlvariumError('STREAM_CLOSED', text))
    await within(this.#deleted(), closeTimeoutMs)
    await within(store.close(), closeTimeoutMs)
    if (failure && failure !== TOO_LATE) throw failure
  }

  async #store(added: NewMessage): Promise<StoredMessage> {
    try {
      return await this.#writer.add(added)
    } catch (error) {
      // The failed message has freed its capacity.
      this.#left.tell()
      throw error
    }
  }

  /** Resolves when all messages in progress are stored, and all sendable ones are sent. */
  async #drained(): Promise<void> {
    await this.#writer.idle()
    if (!this.#downstream.isAway) await this.#ledger.empty()
  }

  /** Closes the stream. Resolves with the error if that failed. */
  async #streamClosed(): Promise<AlvariumError | undefined> {
    let failure: AlvariumError | undefined
    try {
      await this.#parts.settings.stream.close?.()
    } catch (error) {
      failure = streamError('STREAM_FAILED', 'stream.close: expected to close', error)
    }
    await Promise.all([this.#connecting, this.#sender.ended()])
    return failure
  }

  async #deleted(): Promise<void> {
    await this.#marker.delete()
    await this.#marker.mark()
  }

  async #setAside(entry: OutboxEntry, error: AlvariumError): Promise<boolean> {
    const { logger, setAside } = this.#parts
    try {
      if (!(await this.#aside.put(entry, error))) return false
    } catch (err) {
      logger.error({ err }, 'outbox: a message could not be set aside, and is sent again')
      return false
    }
    // Do not await the mark: the message counts twice until it has left the unsettled ones.
    void this.#marker.mark()
    const { number, message, storedAt } = entry
    setAside({ id: number, message, storedAt, error: error.message }, error)
    return true
  }
}
