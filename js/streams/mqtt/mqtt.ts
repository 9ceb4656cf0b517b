import { Announcer } from '../../base/announcer.js'
import { AlvariumError, assertBytes } from '../../base/errors.js'
import { type Logger, silentLogger } from '../../base/logger.js'
import { shownUrl } from '../../base/schema.js'
import type { PublishOptions, StreamContext, StreamProvider } from '../stream.js'
import { Connection } from './connection.js'
import type { Link } from './link.js'
import { type MqttOptions, type MqttSettings, readMqttOptions } from './options.js'
import { type Done, Queue, type Sink } from './queue.js'

/** What is left for the rest of a PUBLISH packet: lengths, packet id and properties. */
const PACKET_OVERHEAD = 16

/** With QoS 0 mqtt.js adds a `drain` listener per message that waits for the socket; from 1,000 on Node warns. */
const MOST_DRAINING = 900

/**
 * Publishes to an MQTT broker.
 *
 * It says what becomes of the connection: an event `online` whenever there is one, `offline` when it is lost
 * (the reason is the event's `detail`).
 */
export interface MqttStream extends StreamProvider, EventTarget {
  /** Whether there is a connection now. */
  readonly online: boolean
  connect(context?: Partial<StreamContext>): Promise<void>
  publish(message: Uint8Array, options?: PublishOptions): Promise<void>
  close(): Promise<void>
}

/**
 * A stream to one or more topics of an MQTT broker. Nothing is connected until `connect()`, which `openSdk`
 * calls and awaits.
 *
 * `publish` resolves with QoS 1 and 2 when the broker has acknowledged the message, with QoS 0 when it has
 * been handed to the connection. It rejects with `STREAM_TIMEOUT` after `publishTimeoutMs`, with `QUEUE_FULL`
 * when too much is waiting, with `STREAM_REFUSED` when the broker does not take the message, with
 * `STREAM_LOST` (QoS 0) when the connection broke, with `STREAM_CLOSED` when the stream is closed or not yet
 * connected.
 *
 * A lost connection comes back by itself. With QoS 1 and 2, what was not acknowledged is then sent again, so a
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

class Mqtt extends Announcer implements MqttStream {
  readonly #settings: MqttSettings
  readonly #queue: Queue
  #connection: Connection | undefined
  #connecting: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #online = false

  constructor(settings: MqttSettings) {
    super()
    this.#settings = settings
    this.#queue = new Queue(settings)
  }

  get online(): boolean {
    return this.#online
  }

  connect({ logger = silentLogger, signal }: Partial<StreamContext> = {}): Promise<void> {
    if (this.#closing) return Promise.reject(closed('the stream is closed'))
    this.#connecting ??= this.#open(logger, signal)
    return this.#connecting
  }

  publish(message: Uint8Array, { signal }: PublishOptions = {}): Promise<void> {
    assertBytes(message, 'message')
    if (this.#closing) return Promise.reject(closed('the stream is closed'))
    if (!this.#connection) return Promise.reject(closed('the stream is not connected, call connect() first'))
    return this.#queue.add(message, signal)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #open(logger: Logger, signal: AbortSignal | undefined): Promise<void> {
    this.logTo(logger)
    const user = { online: (link: Link) => this.#up(link), offline: (reason: Error) => this.#down(reason) }
    this.#connection = new Connection(this.#settings, user, logger)
    try {
      await this.#connection.open(signal)
    } catch (error) {
      // A later connect() may try again.
      this.#connection = undefined
      this.#connecting = undefined
      this.#queue.clear(closed('the stream could not connect'))
      throw error
    }
  }

  async #close(): Promise<void> {
    if (this.#connection) await this.#queue.drained(this.#settings.closeTimeoutMs)
    this.#queue.clear(closed(`the stream was closed before ${shownUrl(this.#settings.url)} took the message`))
    await this.#connection?.close()
    if (this.#online) this.#down(closed('the stream is closed'))
  }

  #up(link: Link): void {
    this.#online = true
    this.#queue.attach(this.#sink(link))
    this.dispatchEvent(new Event('online'))
  }

  #down(reason: Error): void {
    this.#online = false
    this.#queue.detach(reason)
    this.dispatchEvent(new CustomEvent('offline', { detail: reason }))
  }

  #sink(link: Link): Sink {
    const { qos, retain, maxInFlight } = this.#settings
    const publishOptions = { qos, retain }
    return {
      window: Math.min(maxInFlight, qos === 0 ? MOST_DRAINING : link.receiveMaximum),
      send: (topic, message, done) => {
        assertFits(link, topic, message)
        link.client.publish(topic, message as Buffer, publishOptions, refusing(topic, done))
      },
      drop: (reason) => link.drop(reason),
    }
  }
}

/** Brokers end the connection over a packet that is too long, and would again after each reconnect. */
function assertFits({ maximumPacketSize }: Link, topic: string, message: Uint8Array): void {
  const most = maximumPacketSize - PACKET_OVERHEAD - topic.length * 3
  if (message.length <= most) return
  const text = `mqtt: expected a message of at most ${most} bytes for this broker, got ${message.length}`
  throw new AlvariumError('STREAM_REFUSED', text)
}

/**
 * Puts the broker's reason into our words. An error without a reason code is no answer of the broker: mqtt.js
 * gives up what it holds because the connection is ending, whose loss the queue is about to hear of.
 */
function refusing(topic: string, done: Done): (error?: Error & { code?: number }) => void {
  return (error) => {
    if (!error) return done()
    if (error.code === undefined) return
    const text = `mqtt: expected the broker to accept a message for ${JSON.stringify(topic)}, got: ${error.message}`
    done(new AlvariumError('STREAM_REFUSED', text, { cause: error }))
  }
}

function closed(text: string): AlvariumError {
  return new AlvariumError('STREAM_CLOSED', `mqtt: ${text}`)
}
