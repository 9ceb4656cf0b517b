import { AlvariumError, failureOf } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import { Notifier } from '../../../foundation/base/time/notifier.js'
import { TOO_LATE, within } from '../../../foundation/base/time/timeout.js'
import type { StreamRoom } from '../stream.js'
import { passTopics } from '../subscribed-topics.js'
import { Backlog } from './backlog.js'
import { Capacity } from './capacity.js'
import { Clock } from './clock.js'
import { type Contents, openContents } from './contents.js'
import { connectWithRetries, type OutboxStats, type StoredStats, statsOf } from './downstream.js'
import type { NewMessage, OutboxEntry, StoredMessage } from './entry.js'
import type { Damage } from './events.js'
import type { Ledger } from './ledger.js'
import type { Losses } from './losses.js'
import type { Mark } from './mark.js'
import { Marker } from './marker.js'
import type { OutboxSettings } from './options.js'
import { Sender } from './sender.js'
import type { SetAsideList, SetAsideMessage } from './set-aside.js'
import type { OutboxStore } from './store.js'
import { Writer } from './writer.js'

export interface OpenOutboxParts {
  readonly settings: OutboxSettings
  readonly store: OutboxStore
  readonly logger: Logger
  isUnwanted(): boolean | undefined
  dropped(message: Uint8Array, error: unknown): void
  damaged(damage: Damage): void
  setAside(message: SetAsideMessage, error: AlvariumError): void
}

/** Outbox with an open store. The writer stores messages, and the sender delivers them. */
export class OpenOutbox {
  readonly #parts: OpenOutboxParts
  readonly #ledger: Ledger
  readonly #setAsideList: SetAsideList
  readonly #clock: Clock
  readonly #losses: Losses
  readonly #topics: Set<string>
  readonly #writer: Writer
  readonly #capacity: Capacity
  readonly #sender: Sender
  readonly #marker: Marker
  /** Wakes callers of `hasRoom()`. */
  readonly #freed = new Notifier()
  readonly #closing = new AbortController()
  /** State of the stream: `away` if the last attempt to connect it failed. */
  #streamState: 'connecting' | 'online' | 'away' = 'connecting'
  readonly #connecting: Promise<void>
  #delivered = 0

  /**
   * Opens the store. Closes it again if opening fails, or if the outbox is no longer wanted; in that case,
   * returns undefined.
   *
   * @throws AlvariumError `STORE_LOCKED`, `STORE_FAILED`, `STORE_DAMAGED`
   */
  static async open(parts: OpenOutboxParts): Promise<OpenOutbox | undefined> {
    const { store, logger } = parts
    try {
      const contents = await openContents(store, logger, parts.damaged)
      if (!parts.isUnwanted()) {
        await contents.reportLosses()
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
    const { ledger, setAsideList, losses, sets, topics, deleted, isMarkLost } = contents
    this.#parts = parts
    this.#ledger = ledger
    this.#setAsideList = setAsideList
    this.#losses = losses
    this.#topics = new Set(topics)
    passTopics(settings.stream, this.#topics)
    this.#clock = new Clock(settings.maxAgeMs, sets, ledger.last)
    const backlog = new Backlog(store, this.#clock, ledger, (range, error) => losses.report(range, error))
    this.#marker = new Marker({ store, ledger, logger, current: () => this.#mark }, deleted)
    this.#sender = this.#createSender(backlog)
    this.#writer = this.#createWriter(backlog)
    const [writer, sender] = [this.#writer, this.#sender]
    this.#capacity = new Capacity(settings, { ledger, setAsideList, writer, sender, dropped: parts.dropped })
    if (isMarkLost) void this.#marker.mark()
    this.#marker.scheduleDelete()
    this.#sender.start()
    this.#connecting = this.#connect()
  }

  async #connect(): Promise<void> {
    const { settings, logger } = this.#parts
    const isOnline = await connectWithRetries(settings.stream, logger, this.#closing.signal, () => {
      this.#streamState = 'away'
      this.#sender.wake()
    })
    if (!isOnline) return
    this.#streamState = 'online'
    this.#sender.online()
  }

  #createSender(backlog: Backlog): Sender {
    const { settings, logger, dropped } = this.#parts
    return new Sender(settings, {
      backlog,
      ledger: this.#ledger,
      clock: this.#clock,
      logger,
      dropped,
      accepted: () => this.#delivered++,
      setAside: (entry, error) => this.#setAside(entry, error),
      settled: () => {
        this.#freed.notifyAll()
        this.#marker.scheduleDelete()
      },
    })
  }

  #createWriter(backlog: Backlog): Writer {
    return new Writer(this.#parts.store, this.#ledger, this.#clock, {
      makeRoom: (bytes) => this.#capacity.makeRoom(bytes),
      stored: (entry) => {
        backlog.offer(entry)
        this.#sender.wake()
      },
      mark: () => this.#marker.mark(),
    })
  }

  get #mark(): Mark {
    const { edges, settledThrough } = this.#ledger
    const sets = this.#clock.setsAfter(settledThrough)
    return {
      ...edges,
      setAside: this.#setAsideList.count,
      markedAt: this.#clock.machineTime(this.#clock.now()),
      clockSettings: sets,
      topics: [...this.#topics],
    }
  }

  get stored(): StoredStats {
    const { messages, bytes } = this.#ledger
    const { oldestAt } = this.#sender
    return { messages, bytes, ...(oldestAt !== undefined && { oldestAt: this.#clock.machineTime(oldestAt) }) }
  }

  get stats(): OutboxStats {
    return statsOf(this.#parts.settings.stream, {
      online: this.#streamState === 'online',
      queued: this.#sender.inFlight,
      acknowledged: this.#delivered,
      stored: this.stored,
      setAside: this.#setAsideList.count,
      damaged: this.#losses.count,
    })
  }

  async add(added: NewMessage): Promise<StoredMessage> {
    this.#capacity.assertRoom(added.message)
    return this.#store(added)
  }

  /**
   * Implements `StreamProvider.hasRoom`. An empty store has room for any message: waiting would not help a
   * long one.
   */
  hasRoom(more: StreamRoom): true | Promise<void> {
    return this.#capacity.hasRoom(more) || this.#freed.next
  }

  setAsideMessages(): AsyncGenerator<SetAsideMessage, void, undefined> {
    return this.#setAsideList.all()
  }

  async resend(id: number): Promise<StoredMessage> {
    const message = await this.#setAsideList.resend(id, (added) => {
      this.#closing.signal.throwIfAborted()
      return this.#store(added)
    })
    await this.#marker.mark()
    return message
  }

  async discard(id: number): Promise<void> {
    await this.#setAsideList.discard(id)
    await this.#marker.mark()
    this.#freed.notifyAll()
  }

  /** Sends messages for at most `closeTimeoutMs`, leaves the rest stored, and closes the stream and store. */
  async close(): Promise<void> {
    const { settings, store } = this.#parts
    const { closeTimeoutMs } = settings
    await within(this.#drain(), closeTimeoutMs)
    this.#sender.stop()
    this.#closing.abort(new AlvariumError('STREAM_CLOSED', 'outbox: is closed'))
    // The stream settles the messages in flight when it closes.
    const failure = await within(this.#closeStream(), closeTimeoutMs)
    const text = 'outbox: the message is stored, and is sent at the next start'
    this.#ledger.settleAll(new AlvariumError('STREAM_CLOSED', text))
    await within(this.#deleteAndMark(), closeTimeoutMs)
    await within(store.close(), closeTimeoutMs)
    if (failure && failure !== TOO_LATE) throw failure
  }

  async #store(added: NewMessage): Promise<StoredMessage> {
    try {
      return await this.#writer.add(added)
    } catch (error) {
      // The failed message has freed its capacity.
      this.#freed.notifyAll()
      throw error
    }
  }

  /** Waits until all messages are stored. Unless the stream is away, also waits until they are settled. */
  async #drain(): Promise<void> {
    await this.#writer.idle()
    if (this.#streamState !== 'away') await this.#ledger.whenEmpty()
  }

  async #closeStream(): Promise<AlvariumError | undefined> {
    let failure: AlvariumError | undefined
    try {
      await this.#parts.settings.stream.close?.()
    } catch (error) {
      failure = failureOf('STREAM_FAILED', 'stream.close', error)
    }
    await Promise.all([this.#connecting, this.#sender.ended()])
    return failure
  }

  async #deleteAndMark(): Promise<void> {
    await this.#marker.delete()
    await this.#marker.mark()
  }

  async #setAside(entry: OutboxEntry, error: AlvariumError): Promise<boolean> {
    const { logger, setAside } = this.#parts
    try {
      if (!(await this.#setAsideList.put(entry, error))) return false
    } catch (err) {
      logger.error({ err }, 'outbox: a message could not be set aside, and is sent again')
      return false
    }
    // Do not await this, because the message counts as unsettled until this method resolves.
    void this.#marker.mark()
    const { number, message, storedAt } = entry
    setAside({ id: number, message, storedAt, error: error.message }, error)
    return true
  }
}
