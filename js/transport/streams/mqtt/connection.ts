import { closed } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import { shownUrl } from '../../../foundation/base/options/schema.js'
import { anySignal } from '../../../foundation/base/time/abort.js'
import { connectedChannel, disconnectedChannel } from '../channels.js'
import { type DialOptions, dial } from './dial.js'
import { type Link, reasonOf } from './link.js'
import type { ConnectionSettings } from './options.js'
import { MAX_WAIT_WITH_MESSAGES_MS, Reconnection } from './reconnection.js'

export interface ConnectionHandler {
  readonly prepare?: DialOptions['prepare']
  /** Handles a new connection after a number of failed attempts. A throw ends the new connection. */
  online(link: Link, failedAttempts: number): unknown
  offline(reason: Error): void
  failed?(reason: Error): void
  /** Returns whether messages wait for the connection. Attempts to reconnect are then more frequent. */
  isWaiting?(): boolean
}

/** Connection to a broker. After its first success, it reconnects automatically until it is closed. */
export class BrokerConnection {
  readonly #settings: ConnectionSettings
  #urlIndex = 0
  /**
   * MQTT version of the broker at each URL, once it has accepted or refused MQTT 5. A disconnection counts as
   * neither.
   */
  readonly #versions = new Map<string, 4 | 5>()
  readonly #handler: ConnectionHandler
  readonly #logger: Logger
  readonly #closed = new AbortController()
  #link: Link | undefined
  readonly #reconnection: Reconnection
  #failedAttempts = 0
  #connections = 0
  #nextAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(settings: ConnectionSettings, handler: ConnectionHandler, logger: Logger) {
    this.#settings = settings
    this.#handler = handler
    this.#logger = logger
    this.#reconnection = new Reconnection(settings.clientId)
  }

  /**
   * Connects for the first time, and tries each URL once. Only later connections are retried after a failure.
   *
   * @throws AlvariumError `STREAM_UNREACHABLE`; `CONFIG_INVALID` if mqtt.js is not installed; the signal's
   * reason; any error of the handler's `online`
   */
  async open(signal?: AbortSignal): Promise<void> {
    const closeSignal = this.#closed.signal
    const combinedSignal = signal ? anySignal(signal, closeSignal) : closeSignal
    for (let left = this.#settings.url.length; ; left--) {
      try {
        await this.#connect(combinedSignal)
        return
      } catch (error) {
        if (left === 1 || combinedSignal.aborted) throw error
        this.#selectNextUrl()
      }
    }
  }

  get #url(): string {
    return this.#settings.url[this.#urlIndex] as string
  }

  get #identity() {
    return { url: shownUrl(this.#url), clientId: this.#settings.clientId }
  }

  #selectNextUrl(): void {
    this.#urlIndex = (this.#urlIndex + 1) % this.#settings.url.length
  }

  /** Ends the connection. An attempt in progress rejects with the reason. */
  async close(reason?: unknown): Promise<void> {
    clearTimeout(this.#timer)
    this.#closed.abort(reason ?? closed('mqtt', 'the stream is closed'))
    await this.#link?.end()
  }

  /** Records that the connection works: earlier failures no longer lengthen delays. */
  confirmHealthy(): void {
    this.#reconnection.confirmHealthy()
  }

  /** Brings the next attempt forward, because a message now waits for the connection. */
  hurry(): void {
    if (this.#timer === undefined || this.#nextAt - performance.now() <= MAX_WAIT_WITH_MESSAGES_MS) return
    clearTimeout(this.#timer)
    this.#scheduleAttempt(this.#reconnection.backoffMs(MAX_WAIT_WITH_MESSAGES_MS))
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const { prepare } = this.#handler
    const url = this.#url
    const protocolVersion = this.#versions.get(url) ?? this.#settings.protocolVersion
    const onMqtt5Refused = () => this.#versions.set(url, 4)
    const link = await dial({ ...this.#settings, url, protocolVersion }, { signal, prepare, onMqtt5Refused })
    this.#link = link
    if (link.version === 5) this.#versions.set(url, 5)
    try {
      // Check again, because a close() before `#link` was assigned could not end the link.
      signal.throwIfAborted()
      await this.#handler.online(link, this.#failedAttempts)
    } catch (error) {
      this.#link = undefined
      link.drop(error as Error)
      signal.throwIfAborted()
      throw error
    }
    this.#logger.info({ url: shownUrl(this.#url), protocolVersion: link.version }, 'mqtt: online')
    if (connectedChannel.hasSubscribers)
      connectedChannel.publish({ ...this.#identity, reconnects: this.#connections })
    this.#connections += 1
    const since = performance.now()
    link.lost.then((reason) => this.#handleLoss(reason, performance.now() - since))
  }

  #handleLoss(why: Error, afterMs: number): void {
    this.#link = undefined
    if (this.#closed.signal.aborted) return
    this.#failedAttempts = 0
    const reason = this.#reconnection.recordEnd(why, afterMs)
    this.#handler.offline(reason)
    if (disconnectedChannel.hasSubscribers) disconnectedChannel.publish({ ...this.#identity, reason })
    this.#logger.warn({ url: shownUrl(this.#url), reason: reasonOf(reason) }, 'mqtt: offline')
    this.#scheduleReconnect()
  }

  #scheduleReconnect(): void {
    this.#scheduleAttempt(this.#reconnection.nextWaitMs(this.#handler.isWaiting?.() === true))
  }

  #scheduleAttempt(milliseconds: number): void {
    this.#nextAt = performance.now() + milliseconds
    this.#timer = setTimeout(() => this.#retry(), milliseconds)
  }

  async #retry(): Promise<void> {
    this.#timer = undefined
    try {
      await this.#connect(this.#closed.signal)
    } catch (error) {
      if (this.#closed.signal.aborted) return
      this.#failedAttempts += 1
      this.#handler.failed?.(error as Error)
      const url = shownUrl(this.#url)
      const { failures: attempts } = this.#reconnection
      this.#logger.warn({ url, reason: reasonOf(error), attempts }, 'mqtt: still offline')
      this.#selectNextUrl()
      this.#scheduleReconnect()
    }
  }
}
