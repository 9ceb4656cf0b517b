import { closed } from '../../../foundation/base/errors.js'
import type { SafeEventTarget } from '../../../foundation/base/events.js'
import { type Logger, safeLogger, silentLogger } from '../../../foundation/base/logger.js'
import { shownUrl } from '../../../foundation/base/options/schema.js'
import type { StreamStats } from '../stats.js'
import type { PublishOptions } from '../stream.js'
import type { SubscribedTopics } from '../subscribed-topics.js'
import { BrokerConnection, type ConnectionHandler } from './connection.js'
import { whyNotPublishable } from './grants.js'
import type { PacketSender } from './in-flight.js'
import type { Link } from './link.js'
import { Liveness } from './liveness.js'
import type { MqttSettings } from './options.js'
import { packetsFor } from './packets.js'
import { Queue } from './queue.js'

/**
 * Maximum number of packets in flight with QoS 0. mqtt.js adds a `drain` listener for each message that waits
 * for the socket, and Node warns above 1,000 listeners.
 */
const MAX_QOS_0_WINDOW = 900

/** Queue and connection of an `mqtt` stream, which loads this module with its first `connect()`. */
export class Publisher {
  readonly #settings: MqttSettings
  readonly #events: SafeEventTarget
  readonly #topics: SubscribedTopics | undefined
  readonly queue: Queue
  readonly #liveness: Liveness
  #logger: Logger = silentLogger
  #connection: BrokerConnection | undefined
  #online = false
  #connections = 0
  #link: Link | undefined
  #isCut = false

  /**
   * `events` dispatches `online` and `offline`. `topics` have had a subscriber, as an outbox that uses this
   * stream remembers.
   */
  constructor(settings: MqttSettings, events: SafeEventTarget, topics?: SubscribedTopics) {
    this.#settings = settings
    this.#events = events
    this.#topics = topics
    this.queue = new Queue(settings)
    this.#liveness = new Liveness(settings.publishTimeoutMs, this.queue.inFlight, (reason) =>
      this.#cut(reason),
    )
  }

  get online(): boolean {
    return this.#online
  }

  publish(message: Uint8Array, options?: PublishOptions): Promise<void> {
    if (!this.#online) this.#connection?.hurry()
    return this.queue.add(message, options)
  }

  stats(): StreamStats {
    const reconnects = Math.max(0, this.#connections - 1)
    return Object.freeze({ online: this.#online, ...this.queue.stats(), reconnects })
  }

  readonly #handler: ConnectionHandler = {
    online: (link, failedAttempts) => this.#handleConnection(link, failedAttempts),
    offline: (reason) => this.#handleLoss(reason),
    failed: (reason) => this.queue.offline(reason),
    isWaiting: () => !this.queue.isEmpty,
  }

  async open(given: Logger | undefined, signal: AbortSignal | undefined): Promise<void> {
    const logger = safeLogger(given)
    this.#events.logTo(logger)
    this.#logger = logger
    this.#connection = new BrokerConnection(this.#settings, this.#handler, logger)
    await this.#connection.open(signal)
  }

  abandon(): void {
    this.#connection = undefined
    this.queue.clear(closed('mqtt', 'the stream could not connect'))
  }

  async close(): Promise<void> {
    if (this.#connection) await this.queue.drained(this.#settings.closeTimeoutMs)
    this.queue.clear(
      closed(
        'mqtt',
        `the stream was closed before ${this.#settings.url.map(shownUrl).join(' or ')} accepted the message`,
      ),
    )
    await this.#connection?.close()
    if (this.#online) this.#handleLoss(closed('mqtt', 'the stream is closed'))
  }

  #handleConnection(link: Link, failedAttempts: number): void {
    const impossible = whyNotPublishable(link, this.#settings)
    if (impossible) throw impossible
    this.#online = true
    this.#link = link
    this.#isCut = false
    this.#connections++
    this.#liveness.watch(link)
    this.queue.attach(this.#sinkOver(link), failedAttempts === 0)
    this.#events.dispatchEvent(new Event('online'))
  }

  #handleLoss(reason: Error): void {
    this.#online = false
    this.#link = undefined
    this.#liveness.end()
    this.queue.detach(reason, this.#isCut)
    this.#events.dispatchEvent(new CustomEvent('offline', { detail: reason }))
  }

  #cut(reason: Error): void {
    this.#isCut = true
    this.#link?.drop(reason)
  }

  #sinkOver(link: Link): PacketSender {
    const { qos, maxInFlight, noSubscribers } = this.#settings
    const rule = { noSubscribers, topics: this.#topics, logger: this.#logger }
    const send = packetsFor(link, this.#settings, rule)
    let isConfirmed = false
    const confirmHealthy = () => {
      isConfirmed = true
      this.#liveness.recordAcknowledgement()
      this.#connection?.confirmHealthy()
    }
    return {
      window: Math.min(maxInFlight, qos === 0 ? MAX_QOS_0_WINDOW : link.receiveMaximum),
      send: (topic, queued, done) => {
        this.#liveness.startChecks()
        if (isConfirmed || qos === 0) return send(topic, queued, done)
        send(topic, queued, (error) => {
          confirmHealthy()
          done(error)
        })
      },
      drop: (reason) => this.#cut(reason),
    }
  }
}
