import { closed } from '../../base/errors.js'
import type { Logger } from '../../base/logger.js'
import { shownUrl } from '../../base/options/schema.js'
import { firstOf } from '../../base/time/abort.js'
import { connected, disconnected } from '../channels.js'
import { type DialOptions, dial } from './dial.js'
import { type Link, reasonOf } from './link.js'
import type { ConnectionSettings } from './options.js'
import { LONGEST_IN_HASTE_MS, Reconnection } from './reconnection.js'

/** Who uses a connection. */
export interface ConnectionUser {
  /** Sees each new client before its first packet arrives. */
  readonly prepare?: DialOptions['prepare']
  /** There is a connection, after so many failed attempts. What it throws ends this connection. */
  online(link: Link, failedAttempts: number): unknown
  /** The connection is lost; the next attempt follows. */
  offline(reason: Error): void
  /** Another attempt has failed. */
  failed?(reason: Error): void
  /** Whether something waits for the connection, which is then tried more often. */
  isWaiting?(): boolean
}

/** Stays connected: after the first success it comes back by itself until it is closed. */
export class BrokerConnection {
  readonly #settings: ConnectionSettings
  /** Which of the URLs. */
  #at = 0
  /** What each URL's broker speaks, where it has said so: one that only hung up on MQTT 5 is asked again. */
  readonly #versions = new Map<string, 4 | 5>()
  readonly #user: ConnectionUser
  readonly #logger: Logger
  readonly #closed = new AbortController()
  #link: Link | undefined
  readonly #reconnection: Reconnection
  /** Attempts since there was a connection. */
  #failedAttempts = 0
  /** How many there have been. */
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
   * The first attempt, at each of the URLs, and the only one that is not repeated.
   *
   * @throws AlvariumError `STREAM_UNREACHABLE`; the signal's reason; whatever `online` throws
   */
  async open(signal?: AbortSignal): Promise<void> {
    const ours = this.#closed.signal
    const both = signal ? firstOf(signal, ours) : ours
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

  /** Names the connection, for those who watch many. */
  get #where() {
    return { url: shownUrl(this.#url), clientId: this.#settings.clientId }
  }

  #goOn(): void {
    this.#at = (this.#at + 1) % this.#settings.url.length
  }

  /** Ends the connection, or the attempt to get one, which then rejects with the reason. */
  async close(reason?: unknown): Promise<void> {
    clearTimeout(this.#timer)
    this.#closed.abort(reason ?? closed('mqtt', 'the stream is closed'))
    await this.#link?.end()
  }

  /** The connection has been of use, so that one that is lost now is tried at once. */
  proven(): void {
    this.#reconnection.proven()
  }

  /** Something waits since now: the next attempt comes soon. */
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
      // close() can come between the broker's answer and this line, when there was no link for it to end.
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
