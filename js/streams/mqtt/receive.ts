import type { MqttClient } from 'mqtt'
import { AlvariumError } from '../../base/errors.js'
import { type Logger, silentLogger } from '../../base/logger.js'
import { shownUrl } from '../../base/schema.js'
import { boundQos, Unreleased } from './bounds.js'
import { Connection } from './connection.js'
import { Handover } from './handover.js'
import type { Link } from './link.js'
import { type ReceiveOptions, type ReceiveSettings, readReceiveOptions } from './options.js'

/** One message from the broker. */
export interface Received {
  readonly topic: string
  readonly message: Uint8Array
}

/**
 * Messages as they come. One consumer; `break`, `return()`, `close()` and the signal end it.
 *
 * It says what becomes of the connection: an event `online` whenever the broker has the subscription, `offline` when
 * the connection is lost (the reason is the event's `detail`).
 */
export interface Reception extends AsyncIterableIterator<Received>, EventTarget {
  /**
   * Resolves when the broker has the subscription, so that nothing published from now on is missed. The
   * first `next()` does it too.
   *
   * @throws AlvariumError `STREAM_UNREACHABLE`, or `STREAM_REFUSED` when the broker refuses the subscription
   */
  open(): Promise<void>
  next(): Promise<IteratorResult<Received, undefined>>
  return(): Promise<IteratorResult<Received, undefined>>
  close(): Promise<void>
}

/**
 * Receives from an MQTT broker, one message at a time: a message is acknowledged when the consumer asks for the
 * one after it, and until then nothing more is read from the connection. A slow consumer so slows the broker
 * down; here nothing is dropped and nothing piles up. (What brokers do with a backlog is their own setting.)
 *
 * After a lost connection it subscribes again by itself. What was published in between is gone, unless `clean`
 * is `false`; with QoS 1 and 2 the message that was in hand at that moment may come twice.
 *
 * @throws AlvariumError `CONFIG_INVALID`
 *
 * @example
 * ```ts
 * const messages = receive({ url: 'ws://broker:9001', topic: 'alvarium/#' })
 * await messages.open()
 * for await (const { topic, message } of messages) console.log(topic, message.length)
 * ```
 */
export function receive(options: ReceiveOptions, logger: Logger = silentLogger): Reception {
  return new Receiver(readReceiveOptions(options), logger)
}

class Receiver extends EventTarget implements Reception {
  readonly #settings: ReceiveSettings
  readonly #filters: string[]
  readonly #handover = new Handover<Received>()
  readonly #connection: Connection
  #opening: Promise<void> | undefined
  #closing: Promise<void> | undefined
  #subscribed: (() => void) | undefined
  /** What a kept session has sent with QoS 2 and not yet released. */
  #unreleased: MqttClient['incomingStore'] | undefined
  readonly #owed = new Unreleased()
  /** The newest client that a message has come from. */
  #heardFrom: MqttClient | undefined
  #online = false

  constructor(settings: ReceiveSettings, logger: Logger) {
    super()
    this.#settings = settings
    const { group, topic } = settings
    this.#filters = group === undefined ? topic : topic.map((filter) => `$share/${group}/${filter}`)
    this.#connection = new Connection(
      settings,
      {
        prepare: (client) => this.#tap(client),
        online: (link: Link) => this.#up(link),
        offline: (reason: Error) => this.#down(reason),
      },
      logger,
    )
    settings.signal?.addEventListener('abort', this.#abort, { once: true })
    if (settings.signal?.aborted) this.#abort()
  }

  open(): Promise<void> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  async next(): Promise<IteratorResult<Received, undefined>> {
    // When that fails, or comes to nothing as we are closed meanwhile, the handover has ended and says so.
    if (!this.#handover.ended) await this.open().catch(() => {})
    return this.#handover.take()
  }

  async return(): Promise<IteratorResult<Received, undefined>> {
    await this.close()
    return { done: true, value: undefined }
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async #open(): Promise<void> {
    try {
      await this.#connection.open(this.#settings.signal)
    } catch (error) {
      this.#end(error)
      throw error
    }
  }

  readonly #abort = () => {
    // Nobody waits for this one; close() itself never rejects.
    void this.close()
  }

  async #end(error?: unknown): Promise<void> {
    this.#settings.signal?.removeEventListener('abort', this.#abort)
    this.#handover.end(error)
    await this.#connection.close(error)
    if (!this.#online) return
    this.#down(
      error instanceof Error ? error : new AlvariumError('STREAM_CLOSED', 'mqtt: the subscription is closed'),
    )
  }

  async #up(link: Link): Promise<void> {
    await this.#subscribe(link)
    this.#online = true
    this.dispatchEvent(new Event('online'))
  }

  #down(reason: Error): void {
    this.#online = false
    this.dispatchEvent(new CustomEvent('offline', { detail: reason }))
  }

  /** Before the first packet: a session that the broker has kept sends its messages right after CONNACK. */
  #tap(client: MqttClient): void {
    const { clean, qos } = this.#settings
    if (!clean) this.#keepUnreleased(client)
    // A session that was kept may owe us messages of an earlier subscription, with the QoS that that one had.
    boundQos(client, clean ? qos : 2, clean ? new Unreleased() : this.#owed)
    let heard = false
    client.handleMessage = ({ topic, payload }, done) => {
      heard = true
      this.#heardFrom = client
      this.#subscribed?.()
      this.#handover.give({ topic, message: payload as Uint8Array }, () => done())
    }
    const giveUp = client.onKeepaliveTimeout.bind(client)
    // While a message waits for the consumer nothing is read, so the answer to our ping is not either, and
    // mqtt.js would end the connection of every consumer that takes longer than 30 seconds.
    client.onKeepaliveTimeout = () => {
      if (!heard && !this.#handover.full) return giveUp()
      heard = false
      client.sendPing()
      client.reschedulePing(true)
    }
  }

  /**
   * With QoS 2 the broker sends a message, and then releases it. A release that comes on the next connection would
   * find nothing in the store of a new client, which answers all the same: the message would be lost.
   */
  #keepUnreleased(client: MqttClient): void {
    this.#unreleased ??= client.incomingStore
    this.#unreleased.close = (done) => done()
    client.incomingStore = this.#unreleased
  }

  async #subscribe(link: Link): Promise<void> {
    const { qos, connectTimeoutMs } = this.#settings
    const late = new Error(`no answer within ${connectTimeoutMs} ms`)
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      await new Promise<void>((resolve, reject) => {
        timer = setTimeout(() => reject(this.#unanswered(late)), connectTimeoutMs)
        link.lost.then((reason) => reject(this.#unanswered(reason)))
        link.client.subscribe(this.#filters, { qos }, (error) => this.#answered(error, resolve))
        // A broker may send messages before its SUBACK, which is then not read until the consumer takes them: who
        // waits for it before asking for messages would wait for ever. The message proves the subscription.
        this.#subscribed = resolve
        if (this.#heardFrom === link.client) resolve()
      })
    } finally {
      clearTimeout(timer)
      this.#subscribed = undefined
    }
  }

  /** An error without SUBACK is none of the broker's: the connection is ending, and `lost` says so. */
  #answered(error: (Error & { packet?: unknown }) | null, resolve: () => void): void {
    if (!error) resolve()
    else if (error.packet) this.#refused(error)
  }

  /** Final, also after a reconnect: trying again would not change it. `open()` rejects with it, or `next()`. */
  #refused(cause: Error): void {
    const filters = this.#filters.map((filter) => JSON.stringify(filter)).join(', ')
    const text = `topic: expected the broker to let us subscribe to ${filters}, got: ${cause.message}`
    this.#closing ??= this.#end(new AlvariumError('STREAM_REFUSED', text, { cause }))
  }

  #unanswered(cause: Error): AlvariumError {
    const text = `mqtt: expected ${this.#settings.url.map(shownUrl).join(' or ')} to answer SUBSCRIBE, got: ${cause.message}`
    return new AlvariumError('STREAM_UNREACHABLE', text, { cause })
  }
}
