import type { IConnackPacket, IPublishPacket, MqttClient } from 'mqtt'
import { closed, codeOf, isError } from '../../../foundation/base/errors.js'
import { SafeEventTarget } from '../../../foundation/base/events.js'
import { type Logger, safeLogger } from '../../../foundation/base/logger.js'
import { within } from '../../../foundation/base/time/timeout.js'
import { readTraceContext } from '../../../foundation/model/trace-context.js'
import { Acknowledgements } from './acknowledgements.js'
import { limitQos } from './bounds.js'
import { BrokerConnection } from './connection.js'
import { CopyDetector, withoutCoveredFilters } from './filters.js'
import { Inbox, type ReceivedMessage } from './inbox.js'
import type { Link } from './link.js'
import { keepAlive, ping } from './liveness.js'
import { type ReceiveOptions, type ReceiveSettings, readReceiveOptions } from './options.js'
import { Subscriber } from './subscribing.js'

/**
 * Receives messages from an MQTT broker. While `prefetch` messages are unacknowledged, nothing more is read:
 * a slow consumer slows the broker down, and nothing is dropped here. After a lost connection, the receiver
 * subscribes again. The broker may then redeliver messages that were not settled. `unshared` are filters that
 * the group does not share.
 *
 * @throws AlvariumError `CONFIG_INVALID` that names the first invalid option
 */
export function receive(
  options: ReceiveOptions,
  logger?: Logger,
  unshared: readonly string[] = [],
): Receiver {
  return new Receiver(readReceiveOptions(options), { logger: safeLogger(logger), unshared })
}

export interface ReceiverContext {
  readonly logger: Logger
  /** Additional filters that the group does not share; see {@link receive}. */
  readonly unshared: readonly string[]
  readonly events?: EventTarget
}

const MAX_FINAL_PING_MS = 1_000

const SESSION_LOST =
  'mqtt: the broker has forgotten the subscription, and what came since the connection was lost'

const EVENTS = ['online', 'offline']

type QoS = IPublishPacket['qos']

/**
 * Messages from a broker for one consumer, until `close()`. Dispatches `online` when the broker has the
 * subscription, and `offline` with the reason in `detail` when the connection ends, or the broker temporarily
 * refuses the subscription after a reconnection.
 */
export class Receiver extends SafeEventTarget {
  readonly #settings: ReceiveSettings
  readonly #events: EventTarget
  readonly #topics: readonly string[]
  readonly #filters: string[]
  readonly #connection: BrokerConnection
  readonly #inbox: Inbox
  readonly #subscriber: Subscriber
  readonly #logger: Logger
  /** True if the broker should still have our session after a reconnection. */
  #isSessionExpected = false
  #opening: Promise<void> | undefined
  #closing: Promise<void> | undefined
  /** Ids of packets acknowledged with PUBREC, which the broker may resend until PUBREL. */
  readonly #unreleased = new Set<number>()
  #client: MqttClient | undefined
  #receivedCount = 0
  #hasAcknowledged = false
  #copies = new CopyDetector([])
  #link: Link | undefined
  #isLeaving = false
  /** Reason for the end, which the next `take()` throws. */
  #error: { readonly reason: unknown } | undefined

  constructor(settings: ReceiveSettings, { logger, unshared, events }: ReceiverContext) {
    super(EVENTS, logger)
    this.#settings = settings
    this.#logger = logger
    this.#events = events ?? this
    const { group, topic, prefetch } = settings
    this.#topics = [...topic, ...unshared]
    const shared = withoutCoveredFilters(topic).map((filter) => `$share/${group}/${filter}`)
    this.#filters =
      group === undefined
        ? withoutCoveredFilters(this.#topics)
        : [...shared, ...withoutCoveredFilters(unshared)]
    this.#inbox = new Inbox(prefetch)
    this.#subscriber = new Subscriber(settings, this.#filters, logger, (reason) => {
      // End the reception. `open()` rejects with the reason; after a reconnection, the next `take()` does.
      this.#closing ??= this.#end({ reason })
    })
    this.#connection = new BrokerConnection(
      settings,
      {
        prepare: (client) => this.#prepareClient(client),
        online: (link) => this.#handleConnection(link),
        offline: (reason) => this.#handleLoss(reason),
        failed: (reason) => {
          // Report `offline` if the broker temporarily refuses the subscription after a reconnection.
          if (codeOf(reason) === 'STREAM_UNAVAILABLE') this.#handleLoss(reason)
        },
      },
      logger,
    )
  }

  /**
   * Subscribes, and resolves when the broker has the subscription, so that later messages are not missed. The
   * first `take()` also subscribes.
   *
   * @throws AlvariumError `STREAM_UNREACHABLE`; `STREAM_REFUSED` if the broker refuses the subscription, or
   * grants less than requested; `STREAM_UNAVAILABLE` if the broker refuses it temporarily; `STREAM_CLOSED`
   * after `close()`; `CONFIG_INVALID` if mqtt.js is not installed
   */
  open(): Promise<void> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  /**
   * Waits for messages and returns at least one, or none after the end. With QoS 1 and 2, the broker stores
   * each message until `ack()`.
   *
   * @throws the error that ended the reception, once
   */
  async take(): Promise<ReceivedMessage[]> {
    // A failure of open() ends the inbox, and `#error` has the reason.
    if (!this.#closing) await this.open().catch(() => {})
    const arrivals = await this.#inbox.take()
    const error = this.#error
    this.#error = undefined
    if (error) throw error.reason
    return arrivals
  }

  /** True if no more messages arrive until a message is settled or set aside. */
  get isFull(): boolean {
    return this.#inbox.full
  }

  /**
   * Maximum of unacknowledged messages (a broker may allow fewer), and the highest number so far on this
   * connection.
   */
  get window(): { readonly prefetch: number; readonly maxObserved: number } {
    return { prefetch: this.#settings.prefetch, maxObserved: this.#inbox.reached }
  }

  /** Leaves the group, if any. The broker then sends no new messages to this receiver. */
  async leave(): Promise<void> {
    const link = this.#link
    if (!link || this.#settings.group === undefined) return
    this.#isLeaving = true
    await Promise.race([link.lost, link.client.unsubscribeAsync(this.#filters).catch(() => {})])
  }

  /**
   * Resolves when all messages that the broker sent before it processed `leave()` are settled, or the
   * connection ends.
   */
  async drained(): Promise<void> {
    const link = this.#link
    if (link && this.#isLeaving) await Promise.race([link.lost, this.#drain(link.client)])
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #open(): Promise<void> {
    try {
      if (this.#closing) throw closed('mqtt', 'the subscription is closed')
      await this.#connection.open()
    } catch (error) {
      this.#closing ??= this.#end({ reason: error })
      throw error
    }
  }

  async #end(error?: { readonly reason: unknown }): Promise<void> {
    this.#error = error
    this.#inbox.end()
    if (!error) await this.#flushAcknowledgements()
    await this.#connection.close(error?.reason)
    if (!this.#link) return
    this.#handleLoss(isError(error?.reason) ? error.reason : closed('mqtt', 'the subscription is closed'))
  }

  /** Waits until the broker has our acknowledgements, because closing could lose those in flight. */
  async #flushAcknowledgements(): Promise<void> {
    const link = this.#link
    if (link && this.#hasAcknowledged)
      await within(Promise.race([link.lost, ping(link.client)]), MAX_FINAL_PING_MS)
  }

  async #handleConnection(link: Link): Promise<void> {
    if (this.#isLeaving) return
    await this.#subscriber.subscribe(link, this.#receivedCount > 0, this.#inbox.full)
    this.#isSessionExpected = !this.#settings.clean
    this.#link = link
    this.#events.dispatchEvent(new Event('online'))
  }

  #handleLoss(reason: Error): void {
    this.#link = undefined
    this.#events.dispatchEvent(new CustomEvent('offline', { detail: reason }))
  }

  /**
   * Prepares a client before its first packet, because a resumed session sends messages right after CONNACK.
   */
  #prepareClient(client: MqttClient): void {
    const { clean, qos } = this.#settings
    this.#client = client
    this.#receivedCount = 0
    this.#hasAcknowledged = false
    this.#copies = new CopyDetector(withoutCoveredFilters(this.#topics))
    this.#inbox.begin()
    const acknowledgements = new Acknowledgements(client, (qos, id) => {
      if (qos === 2) this.#unreleased.add(id)
      this.#hasAcknowledged = true
    })
    let arrivedQos: QoS = 0
    client.on('packetreceive', (packet) => {
      // mqtt.js emits `connect` only after the first messages of the session.
      if (packet.cmd === 'connack') this.#adoptSession(packet)
      if (packet.cmd === 'pubrel') this.#unreleased.delete(packet.messageId as number)
      if (packet.cmd !== 'publish') return
      arrivedQos = packet.qos
      // Pretend QoS 0, so that mqtt.js leaves acknowledgements to us. It would acknowledge when we call
      // `done`, and hold back QoS 2 messages until PUBREL.
      packet.qos = 0
    })
    // An earlier subscription of a resumed session may have had a higher QoS.
    const isAllowed = limitQos(client, clean ? qos : 2)
    client.handleMessage = (packet, done) => {
      if (client !== this.#client || !isAllowed(arrivedQos)) return
      this.#receivedCount++
      // mqtt.js has deleted the stores of an ended client, and would throw.
      const readOn = () => (hasEnded(client) ? undefined : done())
      this.#receive({ ...packet, qos: arrivedQos }, acknowledgements, readOn)
      this.#subscriber.confirmByMessage(this.#inbox.full)
    }
    keepAlive(client, () => this.#inbox.full)
  }

  #receive(packet: IPublishPacket, acknowledgements: Acknowledgements, readOn: () => void): void {
    const { topic, payload, retain, dup, qos, messageId = 0, properties } = packet
    const acknowledge = qos === 0 ? undefined : acknowledgements.register(qos, messageId)
    const isDone = qos === 2 && this.#unreleased.has(messageId)
    if (!isDone && !this.#copies.isCopy(packet)) {
      const { traceparent, tracestate } = properties?.userProperties ?? {}
      const traceContext = readTraceContext(traceparent, tracestate)
      const message = payload as Uint8Array
      this.#inbox.put({ topic, message, retain, dup, traceContext, acknowledge }, readOn)
      return
    }
    // Only acknowledge a copy, or a message that the broker resends because it did not get our
    // acknowledgement.
    acknowledge?.()
    readOn()
  }

  /**
   * Adopts the session of CONNACK. Packet ids end with their session (MQTT 5 and 3.1.1, 4.1). A CONNACK that
   * refuses says nothing about the session (MQTT 5, 3.2.2.1.1; 3.1.1, 3.2.2.2).
   */
  #adoptSession({ sessionPresent, reasonCode, returnCode }: IConnackPacket): void {
    if (reasonCode ?? returnCode) return
    if (sessionPresent) this.#inbox.withdraw()
    else {
      this.#inbox.dropAcknowledgements()
      this.#unreleased.clear()
      if (this.#isSessionExpected) this.#logger.warn({ clientId: this.#settings.clientId }, SESSION_LOST)
      this.#isSessionExpected = false
    }
  }

  /** Waits until no message arrives between a ping and its answer. The broker has then sent all messages. */
  async #drain(client: MqttClient): Promise<void> {
    for (let before = -1; before !== this.#receivedCount; ) {
      before = this.#receivedCount
      await this.#inbox.whenEmpty()
      await ping(client)
    }
  }
}

/** Returns whether a client has ended or is ending. mqtt.js resets `disconnecting` after the end. */
function hasEnded({ disconnecting, disconnected }: MqttClient): boolean {
  return disconnecting || disconnected
}
