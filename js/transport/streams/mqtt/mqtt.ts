import { assertBytes, closed, streamError } from '../../../foundation/base/errors.js'
import { SafeEventTarget, type TypedEventTarget } from '../../../foundation/base/events.js'
import type { Logger } from '../../../foundation/base/logger.js'
import { callTurns } from '../../../foundation/base/time/turns.js'
import { NO_STATS, type StreamStats } from '../stats.js'
import type {
  PublishOptions,
  StreamContext,
  StreamDestination,
  StreamProvider,
  StreamRoom,
} from '../stream.js'
import { ACCEPT_TOPICS, type SubscribedTopics } from '../subscribed-topics.js'
import { type MqttOptions, type MqttSettings, readMqttOptions } from './options.js'
import type { Publisher } from './publisher.js'

/** Connection events of an {@link MqttStream}, which `addEventListener` accepts. */
export interface MqttEventMap {
  /** Dispatched when the stream has connected for the first time, and after each reconnection. */
  online: Event
  /** Dispatched when the connection is lost or closed; `detail` is the reason. */
  offline: Event & { readonly detail: Error }
}

/** A stream to an MQTT broker. Dispatches events when the connection is made or lost. */
export interface MqttStream extends StreamProvider, TypedEventTarget<MqttEventMap> {
  /** True while the stream is connected. */
  readonly online: boolean
  connect(context?: Partial<StreamContext>): Promise<void>
  publish(message: Uint8Array, options?: PublishOptions): Promise<void>
  /**
   * Resolves when there is room for another message. The room is certain only if you call `publish`
   * immediately. Before you call a method of an SDK, await `sdk.ready()` instead: it also counts the calls
   * that the SDK is still processing.
   *
   * @throws AlvariumError `STREAM_CLOSED` if the stream is closed
   *
   * @example
   * ```ts
   * await stream.connect()
   * for (const message of messages) {
   *   await stream.ready()
   *   stream.publish(message).catch(report)
   * }
   * ```
   */
  ready(): Promise<void>
  /** Returns totals and the current state as a plain frozen object, cheap enough to read every second. */
  stats(): StreamStats
  close(): Promise<void>
}

/**
 * Creates a stream to one or more topics of an MQTT broker. The stream connects in `connect()`, which
 * `openSdk` calls and awaits.
 *
 * With QoS 1 and 2, `publish` resolves when the broker has acknowledged the message. With QoS 0, it resolves
 * when the connection has accepted the message. `publish` rejects with
 *
 * - `STREAM_TIMEOUT` after `publishTimeoutMs`,
 * - `QUEUE_FULL` if too many messages or bytes wait,
 * - `STREAM_LOST` (QoS 0) if the connection broke,
 * - `STREAM_CLOSED` if the stream is closed or not yet connected.
 *
 * If the broker does not accept a message, the error's code names the cause:
 *
 * - `STREAM_REFUSED`: the broker refused this message in PUBACK, PUBREC or DISCONNECT (too large, an invalid
 *   topic or payload), or its Maximum Packet Size excludes the message.
 * - `STREAM_UNAVAILABLE`: the broker currently accepts none of our messages (not authorized, over a quota,
 *   unspecified).
 * - `STREAM_SUSPECT`: the connection ended each time this message was sent, the last three times alone, and
 *   other messages were accepted in between. Brokers of MQTT 3.1.1 have no other way to refuse a message.
 *
 * If a connection ends for any other reason, the stream resends messages in flight until their timeout (QoS 1
 * and 2).
 *
 * If you publish more than the broker can accept, the stream limits the messages in flight. It sends the
 * oldest messages first, but messages that are about to time out last. The broker thus accepts as many as it
 * can in time.
 *
 * `connect` rejects with `STREAM_UNREACHABLE` if no broker can be reached. It rejects with `STREAM_REFUSED`
 * if the broker does not permit an option: `qos`, `retain`, `keepAliveSeconds`, `noSubscribers: 'wait'`, or a
 * `topic` that is too long for its Maximum Packet Size.
 *
 * The stream reconnects automatically: at least every five seconds while messages wait, every thirty
 * otherwise. The delays grow up to these limits, also if connections repeatedly end soon, as with two
 * clients that have one `clientId`. While messages are in flight, the stream cuts a connection over which
 * nothing has arrived for at least half of `publishTimeoutMs`, not even the answer to a ping. With QoS 1
 * and 2, it then resends unacknowledged messages, so a consumer can see a message twice. With QoS 0,
 * messages published while offline wait for the connection.
 *
 * @throws AlvariumError `CONFIG_INVALID` that names the first invalid option
 *
 * @example
 * ```ts
 * const stream = mqtt({ url: 'wss://broker:8084/mqtt', topic: 'alvarium-topic', qos: 1 })
 * stream.addEventListener('offline', () => health.degraded())
 * await using sdk = await openSdk({ signingKey, annotators: [source()], stream })
 * ```
 */
export function mqtt(options: MqttOptions): MqttStream {
  return new Mqtt(readMqttOptions(options))
}

const EVENTS = ['online', 'offline']

/** Stream that loads its publisher in `connect()`, so that applications that never connect do not load it. */
class Mqtt extends SafeEventTarget implements MqttStream {
  readonly drainsOnClose = true
  readonly destination: StreamDestination
  readonly #settings: MqttSettings
  #topics: SubscribedTopics | undefined
  #loading: Promise<Publisher> | undefined
  #publisher: Publisher | undefined
  #connecting: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(settings: MqttSettings) {
    super(EVENTS)
    this.#settings = settings
    const [name, ...others] = settings.topic
    this.destination = others.length === 0 ? { system: 'mqtt', name } : { system: 'mqtt' }
  }

  get online(): boolean {
    return this.#publisher?.online ?? false
  }

  connect({ logger, signal }: Partial<StreamContext> = {}): Promise<void> {
    if (this.#closing) return Promise.reject(closed('mqtt', 'the stream is closed'))
    this.#connecting ??= this.#open(logger, signal)
    return this.#connecting
  }

  [ACCEPT_TOPICS](topics: SubscribedTopics): void {
    this.#topics = topics
  }

  publish(message: Uint8Array, options?: PublishOptions): Promise<void> {
    assertBytes(message, 'message')
    if (this.#closing) return Promise.reject(closed('mqtt', 'the stream is closed'))
    if (!this.#connecting)
      return Promise.reject(closed('mqtt', 'the stream is not connected: call connect() first'))
    if (this.#publisher) return this.#publisher.publish(message, options)
    // The caller has not awaited connect(). Calls keep their order.
    return this.#load().then((publisher) => publisher.publish(message, options))
  }

  async ready(): Promise<void> {
    // Let earlier calls of the SDK that wait for a turn enter the queue first.
    await callTurns.yieldIfDue()
    if (this.#closing) throw closed('mqtt', 'the stream is closed')
    return this.#publisher?.queue.ready()
  }

  hasRoom(more: StreamRoom): true | Promise<void> {
    return this.#publisher?.queue.hasRoom(more) ?? true
  }

  stats(): StreamStats {
    return this.#publisher?.stats() ?? NO_STATS
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** Loads the publisher. After a failure, the next call tries again. */
  #load(): Promise<Publisher> {
    this.#loading ??= this.#createPublisher().catch((error) => {
      this.#loading = undefined
      throw streamError('STREAM_UNREACHABLE', 'mqtt: expected its code to load', error)
    })
    return this.#loading
  }

  async #createPublisher(): Promise<Publisher> {
    const { Publisher } = await import('./publisher.js')
    return new Publisher(this.#settings, this, this.#topics)
  }

  async #open(logger: Logger | undefined, signal: AbortSignal | undefined): Promise<void> {
    try {
      // Assign it only after `#load`: earlier `publish` calls wait for that too, and so go first. After a
      // failure, a later connect() reuses the publisher.
      this.#publisher ??= await this.#load()
      await this.#publisher.open(logger, signal)
    } catch (error) {
      // Let a later connect() try again.
      this.#connecting = undefined
      this.#publisher?.abandon()
      throw error
    }
  }

  async #close(): Promise<void> {
    if (!this.#loading) return
    const publisher = await this.#loading.catch(() => undefined)
    await publisher?.close()
  }
}
