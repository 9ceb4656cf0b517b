import { storeAt } from '#outbox-store'
import { assertBytes, closed } from '../../../foundation/base/errors.js'
import { type Announcing, SafeEventTarget } from '../../../foundation/base/events.js'
import { type Logger, safeLogger } from '../../../foundation/base/logger.js'
import { within } from '../../../foundation/base/time/timeout.js'
import { streamsBehind } from '../claim.js'
import { OWNER_STORE, type OwnerStore } from '../keeper.js'
import type { PublishOptions, StreamContext, StreamProvider, StreamRoom } from '../stream.js'
import type { SetAsideMessage } from './aside.js'
import { type OutboxStats, type StoredStats, statsOf } from './downstream.js'
import type { StoredMessage } from './entry.js'
import { DamagedEvent, DroppedEvent, SetAsideEvent } from './events.js'
import { OpenOutbox, type OpenOutboxParts } from './open-outbox.js'
import { type OutboxOptions, type OutboxSettings, readOutboxOptions } from './options.js'
import { guardStore, type OutboxStore } from './store.js'

export type { OwnerStore } from '../keeper.js'
export type { SetAsideMessage } from './aside.js'
export type { OutboxStats, StoredStats } from './downstream.js'
export type { StoredMessage } from './entry.js'
export { type Damage, DamagedEvent, DroppedEvent, SetAsideEvent } from './events.js'
export type { Range } from './mark.js'
export type { OutboxOptions } from './options.js'
export type { OutboxStore, SetAsideStore, StoredRecord, StoreState } from './store.js'

/** Names and types of an outbox's events. */
export interface OutboxEventMap {
  /** Dispatched when a stored message will not be delivered; the event has the message and the reason. */
  dropped: DroppedEvent
  /** Dispatched when a message was set aside; the event has the message and the reason. */
  setaside: SetAsideEvent
  /** Dispatched when stored messages are found to be lost. */
  damaged: DamagedEvent
}

/** A stream that stores each message before it sends it. */
export interface Outbox extends StreamProvider, Announcing<OutboxEventMap> {
  /** Stored messages that are not delivered. Does not include messages that are set aside. */
  readonly stored: StoredStats
  connect(context?: Partial<StreamContext>): Promise<void>
  publish(message: Uint8Array, options?: PublishOptions): Promise<StoredMessage>
  /** Returns the figures of the stream behind it, with messages in the store, set aside and lost. */
  stats(): OutboxStats
  /**
   * Iterates over the messages that are set aside, in the order in which they were stored. Reads each when its turn
   * comes.
   */
  setAside(): AsyncIterable<SetAsideMessage>
  /**
   * Moves a message that was set aside behind all others, to be sent again.
   *
   * @throws RangeError if no message with this id is set aside
   * @throws AlvariumError `STORE_FAILED`, `STREAM_CLOSED`
   */
  resend(id: number): Promise<StoredMessage>
  /** Deletes a message that was set aside. Throws the errors of `resend`. */
  discard(id: number): Promise<void>
  close(): Promise<void>
}

/**
 * Creates an outbox, a store in front of a stream. A call resolves when its message is stored durably. Messages are
 * then delivered in the order of the calls, despite failures of the process, the network or the broker, now or after
 * the next start. `receipt.delivered` resolves when the stream (with `mqtt`, the broker) has it.
 *
 * `connect()` opens the store. It does not wait for the stream, which is connected in the background with retries.
 *
 * The error with which the stream rejects a message decides what happens next:
 *
 * - `STREAM_REFUSED` names the message: it is dropped, unless `whenRefused` is `keep`.
 * - `STREAM_SUSPECT` means that the broker ends the connection at this message and accepts others. It is set aside in
 *   the store, until you `resend` or `discard` it.
 * - After any other error, of any class, it is sent again until `maxAgeMs`.
 *
 * The event `dropped` reports a dropped message, the event `setaside` one that is set aside.
 *
 * A message that is sent again goes before newer ones. After four failures, or one that may be its own
 * (`STREAM_TIMEOUT`, for example), newer messages are sent too, and may arrive first. No message waits forever behind
 * one that the stream never accepts.
 *
 * Each record has a checksum. Messages that the store has altered or lost are not sent; the event `damaged` reports
 * them. The other messages are delivered.
 *
 * A message is deleted after its delivery. If the process ends between the two, it is sent again: consumers recognize
 * it by the `id` of its bundle.
 *
 * `connect()` rejects with
 *
 * - `STORE_LOCKED` if another process, page or worker has the store open,
 * - `STORE_FAILED` if it cannot be opened,
 * - `STORE_DAMAGED` if the folder has someone else's LevelDB.
 *
 * `publish` rejects with
 *
 * - `QUEUE_FULL` over `maxBytes`,
 * - `STORE_FAILED` if the message cannot be stored (a full disk),
 * - `STREAM_CLOSED` if the outbox is closed or not yet connected.
 *
 * @throws AlvariumError `CONFIG_INVALID` naming the option
 *
 * @example
 * ```ts
 * import { mqtt, openSdk } from 'alvarium-sdk'
 * import { outbox } from 'alvarium-sdk/outbox'
 *
 * const stream = outbox({ stream: mqtt({ url: 'wss://broker:8084/mqtt', topic: 'alvarium-topic' }), store: './outbox' })
 * stream.addEventListener('dropped', ({ error, message }) => save(message, error))
 * await using sdk = await openSdk({ signingKey, annotators, stream })
 * const receipt = await sdk.create(payload) // stored
 * await receipt.delivered // and now the broker has it
 * ```
 */
export function outbox(options: OutboxOptions): Outbox {
  return new OutboxStream(readOutboxOptions(options))
}

const EVENTS = ['dropped', 'setaside', 'damaged']
/** Maximum number of ranges in one line of the log. */
const MAX_LOGGED_RANGES = 100
const NOTHING_STORED: StoredStats = { messages: 0, bytes: 0 }

class OutboxStream extends SafeEventTarget implements Outbox {
  readonly drainsOnClose = true
  readonly [streamsBehind]: readonly StreamProvider[]
  readonly [OWNER_STORE]: OwnerStore | undefined
  readonly #settings: OutboxSettings
  readonly #store: OutboxStore
  #open: OpenOutbox | undefined
  #opening: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(settings: OutboxSettings) {
    super(EVENTS)
    this.#settings = settings
    this[streamsBehind] = [settings.stream]
    const { store } = settings
    this.#store = guardStore(typeof store === 'string' ? storeAt(store) : store)
    this[OWNER_STORE] = this.#store.kept
  }

  get stored(): StoredStats {
    return this.#open?.stored ?? NOTHING_STORED
  }

  connect(context: Partial<StreamContext> = {}): Promise<void> {
    if (this.#closing) return Promise.reject(closed('outbox', 'it is closed'))
    this.#opening ??= this.#connect(context).catch((error) => {
      // Let a later connect() try again.
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async publish(message: Uint8Array, { signal, ...options }: PublishOptions = {}): Promise<StoredMessage> {
    assertBytes(message, 'message')
    signal?.throwIfAborted()
    return this.#opened().add({ message, options })
  }

  stats(): OutboxStats {
    const none = {
      online: false,
      queued: 0,
      acknowledged: 0,
      stored: NOTHING_STORED,
      setAside: 0,
      damaged: 0,
    }
    return this.#open?.stats ?? statsOf(this.#settings.stream, none)
  }

  setAside(): AsyncIterable<SetAsideMessage> {
    return this.#opened().setAsideMessages()
  }

  async resend(id: number): Promise<StoredMessage> {
    return this.#opened().resend(id)
  }

  async discard(id: number): Promise<void> {
    return this.#opened().discard(id)
  }

  hasRoom(more: StreamRoom): true | Promise<void> {
    return this.#open?.hasRoom(more) ?? true
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #connect({ signal, ...context }: Partial<StreamContext>): Promise<void> {
    const logger = safeLogger(context.logger)
    signal?.throwIfAborted()
    this.logTo(logger)
    const open = await OpenOutbox.open({
      settings: this.#settings,
      store: this.#store,
      logger,
      isUnwanted: () => signal?.aborted || this.#closing !== undefined,
      ...this.#reportersFor(logger),
    })
    if (open) this.#open = open
    else throw signal?.aborted ? signal.reason : closed('outbox', 'it is closed')
  }

  #reportersFor(logger: Logger): Pick<OpenOutboxParts, 'dropped' | 'damaged' | 'setAside'> {
    return {
      dropped: (message, error) => {
        logger.error({ err: error }, 'outbox: a stored message was dropped')
        this.dispatchEvent(new DroppedEvent(message, error))
      },
      damaged: (damage) => {
        const { count, numbers, error } = damage
        logger.error(
          { err: error, count, numbers: numbers.slice(0, MAX_LOGGED_RANGES) },
          'outbox: stored messages are gone',
        )
        this.dispatchEvent(new DamagedEvent(damage))
      },
      setAside: (message, error) => {
        const text =
          'outbox: a message was set aside; look at it with setAside(), then resend() or discard() it'
        logger.error({ err: error, id: message.id }, text)
        this.dispatchEvent(new SetAsideEvent(message))
      },
    }
  }

  #opened(): OpenOutbox {
    if (this.#closing) throw closed('outbox', 'it is closed')
    if (!this.#open) throw closed('outbox', 'it is not connected, call connect() first')
    return this.#open
  }

  async #close(): Promise<void> {
    const opening = this.#opening?.catch(() => {})
    // A store that opens later is closed then.
    if (opening) await within(opening, this.#settings.closeTimeoutMs)
    await this.#open?.close()
  }
}
