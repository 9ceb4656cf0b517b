import { assertBytes, closed, streamError } from '../../base/errors.js'
import { Announcer, type Announcing } from '../../base/events.js'
import type { Logger } from '../../base/logger.js'
import { callTurns } from '../../base/time/turns.js'
import { type HeardTopics, TAKES_HEARD } from '../heard.js'
import { NOTHING_YET, type StreamStats } from '../stats.js'
import type {
  PublishOptions,
  StreamContext,
  StreamDestination,
  StreamProvider,
  StreamRoom,
} from '../stream.js'
import { type MqttOptions, type MqttSettings, readMqttOptions } from './options.js'
import type { Publisher } from './publisher.js'

/** Names and types of the events of `mqtt`. */
export interface MqttEventMap {
  /** There is a connection: the first time, and again after each that was lost. */
  online: Event
  /** The connection is lost; `detail` says why. */
  offline: Event & { readonly detail: Error }
}

/** Publishes to an MQTT broker, and says what becomes of the connection. */
export interface MqttStream extends StreamProvider, Announcing<MqttEventMap> {
  /** Whether there is a connection now. */
  readonly online: boolean
  connect(context?: Partial<StreamContext>): Promise<void>
  publish(message: Uint8Array, options?: PublishOptions): Promise<void>
  /**
   * Resolves when there is room for another message, if you call `publish` right after it. It does not count an SDK's calls that
   * have not got here yet, because an annotator, a signer or a pool has them: before calls of an SDK, wait for `sdk.ready()`.
   *
   * @throws AlvariumError `STREAM_CLOSED` when the stream is closed
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
  /** What it has done and what it holds, as a plain frozen object: cheap enough to ask for every second. */
  stats(): StreamStats
  close(): Promise<void>
}

/**
 * A stream to one or more topics of an MQTT broker. Nothing is connected until `connect()`, which `openSdk`
 * calls and awaits.
 *
 * `publish` resolves with QoS 1 and 2 when the broker has acknowledged the message, with QoS 0 when it has
 * been handed to the connection. It rejects with `STREAM_TIMEOUT` after `publishTimeoutMs`, with `QUEUE_FULL`
 * when too much is waiting, with `STREAM_LOST` (QoS 0) when the connection broke, with `STREAM_CLOSED` when the stream is
 * closed or not yet connected. When the broker does not take a message, the code says whose fault it is:
 *
 * - `STREAM_REFUSED`: the broker named this message, in PUBACK, PUBREC or DISCONNECT (too large, an invalid topic or payload).
 * - `STREAM_UNAVAILABLE`: the broker accepts no messages of ours now (not authorized, over a quota, unspecified).
 * - `STREAM_SUSPECT`: the connection ended each time this message was sent, the last three times alone, and other messages were
 *   accepted in between. Brokers of MQTT 3.1.1 have no other way to refuse a message.
 *
 * A connection that ends for any other reason is no message's fault: what was in flight is sent again, until its time is up.
 *
 * If more is published than the broker accepts, what it accepts is still accepted in time: messages are sent oldest first, those
 * with little time left after the others, and no more at a time than the broker acknowledges soon.
 *
 * `connect` rejects with `STREAM_UNREACHABLE`, and with `STREAM_REFUSED` when the broker rules out an option: `qos`, `retain`,
 * `keepAliveSeconds`, or a `topic` that is longer than its packets.
 *
 * A lost connection comes back by itself: tried at least every five seconds while messages wait, every thirty otherwise. The waits
 * grow up to that, too, when connections end soon again and again, as with two clients of one `clientId`. One
 * over which nothing comes any more, not even the answer to a ping, is given up after half of `publishTimeoutMs`. With QoS 1 and 2, what was not acknowledged is then sent again, so a
 * consumer can see a message twice; with QoS 0 what is published while there is no connection waits for it.
 *
 * @throws AlvariumError `CONFIG_INVALID`
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

/** What is there before `connect()`, which loads the publisher: who signs and sends elsewhere does without it. */
class Mqtt extends Announcer implements MqttStream {
  readonly drainsOnClose = true
  readonly destination: StreamDestination
  readonly #settings: MqttSettings
  #topics: HeardTopics | undefined
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

  [TAKES_HEARD](topics: HeardTopics): void {
    this.#topics = topics
  }

  publish(message: Uint8Array, options?: PublishOptions): Promise<void> {
    assertBytes(message, 'message')
    if (this.#closing) return Promise.reject(closed('mqtt', 'the stream is closed'))
    if (!this.#connecting)
      return Promise.reject(closed('mqtt', 'the stream is not connected, call connect() first'))
    if (this.#publisher) return this.#publisher.publish(message, options)
    // Behind connect(), which nobody has awaited; in the order of the calls.
    return this.#load().then((publisher) => publisher.publish(message, options))
  }

  async ready(): Promise<void> {
    // Calls that wait for their turn of the event loop take their places first.
    await callTurns.take()
    if (this.#closing) throw closed('mqtt', 'the stream is closed')
    return this.#publisher?.ready()
  }

  hasRoom(more: StreamRoom): true | Promise<void> {
    return this.#publisher?.hasRoom(more) ?? true
  }

  stats(): StreamStats {
    return this.#publisher?.stats() ?? NOTHING_YET
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** A failed load can be tried again. */
  #load(): Promise<Publisher> {
    this.#loading ??= this.#made().catch((error) => {
      this.#loading = undefined
      throw streamError('STREAM_UNREACHABLE', 'mqtt: expected its code to load', error)
    })
    return this.#loading
  }

  async #made(): Promise<Publisher> {
    const { Publisher } = await import('./publisher.js')
    return new Publisher(this.#settings, this, this.#topics)
  }

  async #open(logger: Logger | undefined, signal: AbortSignal | undefined): Promise<void> {
    try {
      // Kept here and nowhere earlier: what was published meanwhile goes on right behind this line, before what comes later. If it is there
      // already, the connection is opened at once, so that what is published behind a second connect() is not refused.
      this.#publisher ??= await this.#load()
      await this.#publisher.open(logger, signal)
    } catch (error) {
      // A later connect() may try again.
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
