import { closed } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import { shownUrl } from '../../../foundation/base/options/schema.js'
import { anySignal } from '../../../foundation/base/time/abort.js'
import { connected, disconnected } from '../channels.js'
import { type DialOptions, dial } from './dial.js'
import { type Link, reasonOf } from './link.js'
import type { ConnectionSettings } from './options.js'
import { LONGEST_IN_HASTE_MS, Reconnection } from './reconnection.js'

export interface ConnectionUser {
  /** Sees each new client before its first packet arrives. */
  readonly prepare?: DialOptions['prepare']
  /** Handles a new connection, after so many failed attempts. If it throws, this connection ends. */
  online(link: Link, failedAttempts: number): unknown
  /** Handles the loss of the connection. The next attempt follows. */
  offline(reason: Error): void
  /** Handles the failure of another attempt. */
  failed?(reason: Error): void
  /** Returns whether messages wait for the connection, so that attempts are more frequent. */
  isWaiting?(): boolean
}

/** Stays connected: after the first success, it reconnects automatically until it is closed. */
export class BrokerConnection {
  readonly #settings: ConnectionSettings
  /** Index of the current URL. */
  #at = 0
  /**
   * MQTT version of each URL's broker, where the broker has stated it. A broker that only disconnected on MQTT 5 is
   * tried with 5 again.
   */
  readonly #versions = new Map<string, 4 | 5>()
  readonly #user: ConnectionUser
  readonly #logger: Logger
  readonly #closed = new AbortController()
  #link: Link | undefined
  readonly #reconnection: Reconnection
  /** Number of failed attempts since the last connection. */
  #failedAttempts = 0
  /** Number of connections so far. */
  #connections = 0
  #nextAt = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(settings: ConnectionSettings, user: ConnectionUser, logger: Logger) {
    this.#settings = settings
    this.#user = user
    this.#logger = logger
    this.#reconnection = new Reconnection(settings.clientId)
  }

  /**
   * Makes the first attempt, at each of the URLs in turn. Only this attempt is not repeated after a failure.
   *
   * @throws AlvariumError `STREAM_UNREACHABLE`; the signal's reason; any error of `online`
   */
  async open(signal?: AbortSignal): Promise<void> {
    const ours = this.#closed.signal
    const both = signal ? anySignal(signal, ours) : ours
    for (let left = this.#settings.url.length; ; left--) {
      try {
        await this.#connect(both)
        return
      } catch (error) {
        if (left === 1 || both.aborted) throw error
        this.#goOn()
      }
    }
  }

  get #url(): string {
    return this.#settings.url[this.#at] as string
  }

  /** Identifies the connection for subscribers of the channels. */
  get #where() {
    return { url: shownUrl(this.#url), clientId: this.#settings.clientId }
  }

  #goOn(): void {
    this.#at = (this.#at + 1) % this.#settings.url.length
  }

  /** Ends the connection. An attempt in progress rejects with the reason. */
  async close(reason?: unknown): Promise<void> {
    clearTimeout(this.#timer)
    this.#closed.abort(reason ?? closed('mqtt', 'the stream is closed'))
    await this.#link?.end()
  }

  /** Records that the connection was useful: if it is lost now, the next attempt follows at once. */
  proven(): void {
    this.#reconnection.proven()
  }

  /** Makes the next attempt soon, because a message waits since now. */
  hurry(): void {
    if (this.#timer === undefined || this.#nextAt - performance.now() <= LONGEST_IN_HASTE_MS) return
    clearTimeout(this.#timer)
    this.#tryIn(this.#reconnection.againMs(LONGEST_IN_HASTE_MS))
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const { prepare } = this.#user
    const url = this.#url
    const protocolVersion = this.#versions.get(url) ?? this.#settings.protocolVersion
    const refused5 = () => this.#versions.set(url, 4)
    const link = await dial({ ...this.#settings, url, protocolVersion }, { signal, prepare, refused5 })
    this.#link = link
    if (link.version === 5) this.#versions.set(url, 5)
    try {
      // close() may run between the broker's CONNACK and this line, when it has no link to end.
      signal.throwIfAborted()
      await this.#user.online(link, this.#failedAttempts)
    } catch (error) {
      this.#link = undefined
      link.drop(error as Error)
      signal.throwIfAborted()
      throw error
    }
    this.#logger.info({ url: shownUrl(this.#url), protocolVersion: link.version }, 'mqtt: online')
    if (connected.hasSubscribers) connected.publish({ ...this.#where, reconnects: this.#connections })
    this.#connections += 1
    const since = performance.now()
    link.lost.then((reason) => this.#lost(reason, performance.now() - since))
  }

  #lost(why: Error, afterMs: number): void {
    this.#link = undefined
    if (this.#closed.signal.aborted) return
    this.#failedAttempts = 0
    const reason = this.#reconnection.ended(why, afterMs)
    this.#user.offline(reason)
    if (disconnected.hasSubscribers) disconnected.publish({ ...this.#where, reason })
    this.#logger.warn({ url: shownUrl(this.#url), reason: reasonOf(reason) }, 'mqtt: offline')
    this.#comeBack()
  }

  #comeBack(): void {
    this.#tryIn(this.#reconnection.nextMs(this.#user.isWaiting?.() === true))
  }

  #tryIn(milliseconds: number): void {
    this.#nextAt = performance.now() + milliseconds
    this.#timer = setTimeout(() => this.#again(), milliseconds)
  }

  async #again(): Promise<void> {
    this.#timer = undefined
    try {
      await this.#connect(this.#closed.signal)
    } catch (error) {
      this.#failedAgain(error)
    }
  }

  #failedAgain(error: unknown): void {
    if (this.#closed.signal.aborted) return
    this.#failedAttempts += 1
    this.#user.failed?.(error as Error)
    const fields = {
      url: shownUrl(this.#url),
      reason: reasonOf(error),
      attempts: this.#reconnection.failures,
    }
    this.#logger.warn(fields, 'mqtt: still offline')
    this.#goOn()
    this.#comeBack()
  }
}
