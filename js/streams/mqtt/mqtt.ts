import { assertBytes, closed } from '../../base/errors.js'
import { Announcer, type Announcing } from '../../base/events.js'
import { type Logger, safeLogger, silentLogger } from '../../base/logger.js'
import { shownUrl } from '../../base/options/schema.js'
import { callTurns } from '../../base/time/turns.js'
import type { StreamStats } from '../stats.js'
import type { PublishOptions, StreamContext, StreamProvider, StreamRoom } from '../stream.js'
import { BrokerConnection, type ConnectionUser } from './connection.js'
import { whyNotPublishable } from './grants.js'
import type { Sink } from './in-flight.js'
import type { Link } from './link.js'
import { Liveness } from './liveness.js'
import { type MqttOptions, type MqttSettings, readMqttOptions } from './options.js'
import { packetsFor } from './packets.js'
import { Queue } from './queue.js'
import { warnOfUnheard } from './unheard.js'

/** With QoS 0 mqtt.js adds a `drain` listener per message that waits for the socket; from 1,000 on Node warns. */
const MOST_DRAINING = 900

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

class Mqtt extends Announcer implements MqttStream {
  readonly drainsOnClose = true
  readonly #settings: MqttSettings
  readonly #queue: Queue
  readonly #liveness: Liveness
  #logger: Logger = silentLogger
  #connection: BrokerConnection | undefined
  #connecting: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #online = false
  #connections = 0
  #link: Link | undefined
  /** Whether we have ended the connection ourselves. */
  #isCut = false

  constructor(settings: MqttSettings) {
    super(EVENTS)
    this.#settings = settings
    this.#queue = new Queue(settings)
    const { inFlight } = this.#queue
    this.#liveness = new Liveness(settings.publishTimeoutMs, {
      isOwed: () => inFlight.size > 0,
      usualMs: () => inFlight.usualMs,
      giveUp: (reason) => this.#cut(reason),
    })
  }

  get online(): boolean {
    return this.#online
  }

  connect({ logger, signal }: Partial<StreamContext> = {}): Promise<void> {
    if (this.#closing) return Promise.reject(closed('mqtt', 'the stream is closed'))
    this.#connecting ??= this.#open(logger, signal)
    return this.#connecting
  }

  publish(message: Uint8Array, options?: PublishOptions): Promise<void> {
    assertBytes(message, 'message')
    if (this.#closing) return Promise.reject(closed('mqtt', 'the stream is closed'))
    if (!this.#connection)
      return Promise.reject(closed('mqtt', 'the stream is not connected, call connect() first'))
    if (!this.#online) this.#connection.hurry()
    return this.#queue.add(message, options)
  }

  async ready(): Promise<void> {
    // Calls that wait for their turn of the event loop take their places first.
    await callTurns.take()
    if (this.#closing) throw closed('mqtt', 'the stream is closed')
    return this.#queue.ready()
  }

  hasRoom(more: StreamRoom): true | Promise<void> {
    return this.#queue.hasRoom(more)
  }

  stats(): StreamStats {
    const reconnects = Math.max(0, this.#connections - 1)
    return Object.freeze({ online: this.#online, ...this.#queue.stats(), reconnects })
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  readonly #user: ConnectionUser = {
    online: (link, failedAttempts) => this.#up(link, failedAttempts),
    offline: (reason) => this.#down(reason),
    failed: (reason) => this.#queue.offline(reason),
    isWaiting: () => !this.#queue.isEmpty,
  }

  async #open(given: Logger | undefined, signal: AbortSignal | undefined): Promise<void> {
    try {
      const logger = safeLogger(given)
      this.logTo(logger)
      this.#logger = logger
      this.#connection = new BrokerConnection(this.#settings, this.#user, logger)
      await this.#connection.open(signal)
    } catch (error) {
      // A later connect() may try again.
      this.#connection = undefined
      this.#connecting = undefined
      this.#queue.clear(closed('mqtt', 'the stream could not connect'))
      throw error
    }
  }

  async #close(): Promise<void> {
    if (this.#connection) await this.#queue.drained(this.#settings.closeTimeoutMs)
    this.#queue.clear(
      closed(
        'mqtt',
        `the stream was closed before ${this.#settings.url.map(shownUrl).join(' or ')} took the message`,
      ),
    )
    await this.#connection?.close()
    if (this.#online) this.#down(closed('mqtt', 'the stream is closed'))
  }

  #up(link: Link, failedAttempts: number): void {
    const impossible = whyNotPublishable(link, this.#settings)
    if (impossible) throw impossible
    if (link.version === 5) warnOfUnheard(link.client, this.#settings.topic, this.#logger)
    this.#online = true
    this.#link = link
    this.#isCut = false
    this.#connections++
    this.#liveness.begin(link)
    this.#queue.attach(this.#sink(link), failedAttempts === 0)
    this.dispatchEvent(new Event('online'))
  }

  #down(reason: Error): void {
    this.#online = false
    this.#link = undefined
    this.#liveness.end()
    this.#queue.detach(reason, this.#isCut)
    this.dispatchEvent(new CustomEvent('offline', { detail: reason }))
  }

  #cut(reason: Error): void {
    this.#isCut = true
    this.#link?.drop(reason)
  }

  #sink(link: Link): Sink {
    const { qos, maxInFlight } = this.#settings
    const send = packetsFor(link, this.#settings)
    let isProven = false
    const prove = () => {
      isProven = true
      this.#liveness.acknowledged()
      this.#connection?.proven()
    }
    return {
      window: Math.min(maxInFlight, qos === 0 ? MOST_DRAINING : link.receiveMaximum),
      send: (topic, queued, done) => {
        this.#liveness.listen()
        if (isProven || qos === 0) return send(topic, queued, done)
        send(topic, queued, (error) => {
          prove()
          done(error)
        })
      },
      drop: (reason) => this.#cut(reason),
    }
  }
}
