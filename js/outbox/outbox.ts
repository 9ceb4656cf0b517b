import { storeAt } from '#outbox-store'
import { Announcer } from '../base/announcer.js'
import { AlvariumError, assertBytes } from '../base/errors.js'
import type { Announcing } from '../base/events.js'
import { safeLogger } from '../base/logger.js'
import { streamsBehind } from '../streams/claim.js'
import type { PublishOptions, StreamContext, StreamProvider } from '../streams/stream.js'
import { checked } from './checked.js'
import type { StoredMessage } from './entry.js'
import { DroppedEvent } from './events.js'
import { Ledger } from './ledger.js'
import { OpenOutbox } from './open-outbox.js'
import { type OutboxOptions, type OutboxSettings, readOutboxOptions } from './options.js'
import type { OutboxStore } from './store.js'

export type { StoredMessage } from './entry.js'
export { DroppedEvent } from './events.js'
export type { OutboxOptions } from './options.js'
export type { OutboxStore, StoredRecord } from './store.js'

/** What waits in an {@link Outbox}. */
export interface Stored {
  readonly messages: number
  /** What they take in the store. */
  readonly bytes: number
  /** When the oldest of them was stored, in milliseconds since 1970; absent while nothing waits, or has been read. */
  readonly oldestAt?: number
}

/** Names and types of an outbox's events. */
export interface OutboxEventMap {
  /** Says which stored message will not be delivered after all, and why. */
  dropped: DroppedEvent
}

/** A stream that stores each message before it sends it. */
export interface Outbox extends StreamProvider, Announcing<OutboxEventMap> {
  /** What is stored and not delivered. */
  readonly stored: Stored
  connect(context?: Partial<StreamContext>): Promise<void>
  publish(message: Uint8Array, options?: PublishOptions): Promise<StoredMessage>
  close(): Promise<void>
}

/**
 * Puts a store before a stream: a call resolves when its message is stored durably, and whatever becomes of the process,
 * the network or the broker, the message is delivered, in the order of the calls, now or after the next start.
 * `receipt.delivered` resolves when the stream (with `mqtt`, the broker) has it.
 *
 * `connect()` opens the store and does not wait for the stream, which is connected in the background and tried again. A
 * message that the stream rejects is sent again, before any that was not sent yet, until `maxAgeMs`; one that it refuses
 * for good (`STREAM_REFUSED`) is dropped, unless `whenRefused` is `keep`. What is dropped is told in an event `dropped`.
 *
 * A message is forgotten once it was delivered. When the process ends between the two, it is sent again: consumers know it by
 * the `id` of its bundle.
 *
 * `connect()` rejects with `STORE_LOCKED` when another process, page or worker has the store, with `STORE_FAILED` when it
 * cannot be opened, with `CONFIG_INVALID` when `classic-level` is not installed. `publish` rejects with `QUEUE_FULL` over
 * `maxBytes`, with `STORE_FAILED` when the message cannot be stored (a full disk), and with `STREAM_CLOSED` when the
 * outbox is closed or not yet connected.
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
  return new StoringStream(readOutboxOptions(options))
}

const EVENTS = ['dropped']

class StoringStream extends Announcer implements Outbox {
  readonly drainsOnClose = true
  readonly [streamsBehind]: readonly StreamProvider[]
  readonly #settings: OutboxSettings
  readonly #store: OutboxStore
  #ledger: Ledger | undefined
  #open: OpenOutbox | undefined
  #opening: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(settings: OutboxSettings) {
    super(EVENTS)
    this.#settings = settings
    this[streamsBehind] = [settings.stream]
    const { store } = settings
    this.#store = checked(typeof store === 'string' ? storeAt(store) : store)
  }

  get stored(): Stored {
    const { last = 0, settled = 0, bytes = 0 } = this.#ledger ?? {}
    const oldestAt = this.#open?.oldestAt
    return { messages: last - settled, bytes, ...(oldestAt !== undefined && { oldestAt }) }
  }

  connect(context: Partial<StreamContext> = {}): Promise<void> {
    if (this.#closing) return Promise.reject(closed('it is closed'))
    this.#opening ??= this.#connect(context).catch((error) => {
      // A later connect() may try again.
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  async publish(message: Uint8Array, { signal, ...options }: PublishOptions = {}): Promise<StoredMessage> {
    assertBytes(message, 'message')
    signal?.throwIfAborted()
    if (this.#closing) throw closed('it is closed')
    if (!this.#open) throw closed('it is not connected, call connect() first')
    return this.#open.add({ message, options })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #connect({ signal, ...context }: Partial<StreamContext>): Promise<void> {
    const logger = safeLogger(context.logger)
    signal?.throwIfAborted()
    this.logTo(logger)
    const store = this.#store
    const ledger = await Ledger.of(store)
    if (signal?.aborted || this.#closing) {
      await store.close()
      throw signal?.aborted ? signal.reason : closed('it is closed')
    }
    this.#ledger = ledger
    const dropped = (message: Uint8Array, error: unknown) => {
      logger.error({ err: error }, 'outbox: a stored message was dropped')
      this.dispatchEvent(new DroppedEvent(message, error))
    }
    this.#open = new OpenOutbox({ settings: this.#settings, store, ledger, logger, dropped })
  }

  async #close(): Promise<void> {
    await this.#opening?.catch(() => {})
    await this.#open?.close()
  }
}

function closed(text: string): AlvariumError {
  return new AlvariumError('STREAM_CLOSED', `outbox: ${text}`)
}
