import { storeAt } from '#outbox-store'
import { assertBytes, closed } from '../../../foundation/base/errors.js'
import { SafeEventTarget, type TypedEventTarget } from '../../../foundation/base/events.js'
import { type Logger, safeLogger } from '../../../foundation/base/logger.js'
import { within } from '../../../foundation/base/time/timeout.js'
import { innerStreams } from '../claim.js'
import { OWNER_STORE, type OwnerStore } from '../keeper.js'
import type { PublishOptions, StreamContext, StreamProvider, StreamRoom } from '../stream.js'
import { type OutboxStats, type StoredStats, statsOf } from './downstream.js'
import type { StoredMessage } from './entry.js'
import { DamagedEvent, DroppedEvent, SetAsideEvent } from './events.js'
import { OpenOutbox, type OpenOutboxParts } from './open-outbox.js'
import { type OutboxOptions, type OutboxSettings, readOutboxOptions } from './options.js'
import type { SetAsideMessage } from './set-aside.js'
import { guardStore, type OutboxStore } from './store.js'

export type { OwnerStore } from '../keeper.js'
export type { OutboxStats, StoredStats } from './downstream.js'
export type { StoredMessage } from './entry.js'
export { type Damage, DamagedEvent, DroppedEvent, SetAsideEvent } from './events.js'
export type { Range } from './mark.js'
export type { OutboxOptions } from './options.js'
export type { SetAsideMessage } from './set-aside.js'
export type { OutboxStore, SetAsideStore, StoredRecord, StoreState } from './store.js'

/** Events about messages that an {@link Outbox} drops, sets aside or loses, for `addEventListener`. */
export interface OutboxEventMap {
  /** Dispatched when a stored message was dropped. The event contains the message and the reason. */
  dropped: DroppedEvent
  /** Dispatched when a message was set aside. The event contains the message and the reason. */
  setaside: SetAsideEvent
  /** Dispatched when stored messages are found to be lost. */
  damaged: DamagedEvent
}

/** A stream that stores each message durably before another stream delivers the message. */
export interface Outbox extends StreamProvider, TypedEventTarget<OutboxEventMap> {
  /** Number, size and age of the stored messages that wait for delivery, without messages set aside. */
  readonly stored: StoredStats
  connect(context?: Partial<StreamContext>): Promise<void>
  publish(message: Uint8Array, options?: PublishOptions): Promise<StoredMessage>
  /** Returns the statistics of the stream, and the numbers of messages stored, set aside and lost. */
  stats(): OutboxStats
  /** Iterates over the messages that are set aside, in the order of storage. Reads each message on demand. */
  setAside(): AsyncIterable<SetAsideMessage>
  /**
   * Resends a message that was set aside, after all other stored messages.
   *
   * @throws RangeError if no message with this id is set aside
   * @throws AlvariumError `STORE_FAILED`, `STREAM_CLOSED`; `STORE_DAMAGED` if the message cannot be read any
   * more
   */
  resend(id: number): Promise<StoredMessage>
  /** Deletes a message that was set aside. Throws the same errors as `resend`. */
  discard(id: number): Promise<void>
  close(): Promise<void>
}

/**
 * Creates an outbox: a stream that stores each message before another stream delivers it. A call resolves
 * when its message is stored durably. The outbox then delivers messages in the order of the calls, despite
 * failures of the process, the network or the broker, if necessary after the next start. `receipt.delivered`
 * resolves when the stream (with `mqtt`, the broker) has accepted the message.
 *
 * `connect()` opens the store. It does not wait for the stream, which the outbox connects in the background
 * with retries.
 *
 * If the stream rejects a message, the error decides what happens next:
 *
 * - `STREAM_REFUSED`: the outbox drops the message, unless `whenRefused` is `keep`.
 * - `STREAM_SUSPECT`: the broker ends the connection at this message and accepts others. The outbox sets the
 *   message aside in the store, until you call `resend` or `discard`.
 * - Any other error, of any class: the outbox resends the message until `maxAgeMs`.
 *
 * The event `dropped` reports a dropped message, and `setaside` a message that is set aside.
 *
 * The outbox resends a message before newer messages. After four failures, or one that the message may have
 * caused (`STREAM_TIMEOUT`, for example), it sends newer messages too, which may arrive first. No message
 * waits forever for an earlier message that the stream never accepts.
 *
 * Each record has a checksum. The outbox does not send messages that the store has altered or lost, and
 * reports them with the event `damaged`. It delivers the other messages.
 *
 * The outbox deletes a message after the delivery. If the process ends before the deletion, the outbox sends
 * the message again, and consumers recognize the copy by the `id` of its bundle.
 *
 * `connect()` rejects with
 *
 * - `STORE_LOCKED` if another outbox has opened the store, in any process, page or worker,
 * - `STORE_FAILED` if the store cannot be opened,
 * - `STORE_DAMAGED` if the folder has files with the names of an outbox, and no message in them.
 *
 * `publish` rejects with
 *
 * - `QUEUE_FULL` if the store would exceed `maxBytes`,
 * - `STORE_FAILED` if the message cannot be stored (a full disk),
 * - `STREAM_CLOSED` if the outbox is closed or not yet connected.
 *
 * @throws AlvariumError `CONFIG_INVALID` that names the first invalid option
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
/** Maximum number of ranges of lost messages in one log line. */
const MAX_LOGGED_RANGES = 100
const NOTHING_STORED: StoredStats = { messages: 0, bytes: 0 }

class OutboxStream extends SafeEventTarget implements Outbox {
  readonly drainsOnClose = true
  readonly [innerStreams]: readonly StreamProvider[]
  readonly [OWNER_STORE]: OwnerStore | undefined
  readonly #settings: OutboxSettings
  readonly #store: OutboxStore
  #open: OpenOutbox | undefined
  #opening: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(settings: OutboxSettings) {
    super(EVENTS)
    this.#settings = settings
    this[innerStreams] = [settings.stream]
    const { store } = settings
    this.#store = guardStore(typeof store === 'string' ? storeAt(store) : store)
    this[OWNER_STORE] = this.#store.owner
  }

  get stored(): StoredStats {
    return this.#open?.stored ?? NOTHING_STORED
  }

  connect(context: Partial<StreamContext> = {}): Promise<void> {
    if (this.#closing) return Promise.reject(closed('outbox', 'is closed'))
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
    else throw signal?.aborted ? signal.reason : closed('outbox', 'is closed')
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
    if (this.#closing) throw closed('outbox', 'is closed')
    if (!this.#open) throw closed('outbox', 'is not connected: call connect() first')
    return this.#open
  }

  async #close(): Promise<void> {
    const opening = this.#opening?.catch(() => {})
    // Stop waiting after the limit. A store that opens later is closed at once by `OpenOutbox.open`.
    if (opening) await within(opening, this.#settings.closeTimeoutMs)
    await this.#open?.close()
  }
}
