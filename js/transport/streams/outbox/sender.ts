import { AlvariumError, type ErrorCode } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import { pause } from '../../../foundation/base/time/backoff.js'
import { Notifier } from '../../../foundation/base/time/notifier.js'
import { PERMANENT_CODES } from '../stream.js'
import type { Backlog } from './backlog.js'
import type { Clock } from './clock.js'
import { publishWithin } from './downstream.js'
import type { OutboxEntry } from './entry.js'
import type { Ledger } from './ledger.js'
import type { OutboxSettings } from './options.js'
import { Retries, retryDelay } from './retries.js'
import { UnsettledEntries } from './unsettled.js'

export interface SenderParts {
  readonly backlog: Backlog
  readonly ledger: Ledger
  readonly clock: Clock
  readonly logger: Logger
  accepted(): void
  dropped(message: Uint8Array, error: unknown): void
  /** Sets a message aside. If this resolves with false, the sender resends the message. */
  setAside(entry: OutboxEntry, error: AlvariumError): Promise<boolean>
  settled(): void
}

/** Codes of errors that a message itself may have caused, so that later messages need not wait for it. */
const MESSAGE_CODES: readonly ErrorCode[] = [...PERMANENT_CODES, 'STREAM_TIMEOUT']

/**
 * Sender of stored messages to the stream, in order, with a limit for messages in flight. If the stream does
 * not accept a message, the sender resends it before newer messages. While the stream fails, the sender sends one
 * message at a time. Newer messages overtake a message that fails repeatedly, see {@link Retries}.
 */
export class Sender {
  readonly #options: OutboxSettings
  readonly #parts: SenderParts
  readonly #unsettled: UnsettledEntries
  readonly #changed = new Notifier()
  readonly #retries = new Retries(() => this.wake())
  #attempts = 0
  #inFlight = 0
  /** Number of messages in flight that must not be overtaken. */
  #orderedInFlight = 0
  #isLastOvertaken = false
  #isOnline = false
  readonly #stopped = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: OutboxSettings, parts: SenderParts) {
    this.#options = options
    this.#parts = parts
    this.#unsettled = new UnsettledEntries(parts.backlog, parts.ledger, () => parts.settled())
  }

  get oldestAt(): number | undefined {
    return this.#unsettled.first?.storedAtMonotonic
  }

  get inFlight(): number {
    return this.#inFlight
  }

  oldest(): Promise<OutboxEntry | undefined> {
    return this.#unsettled.oldest()
  }

  start(): void {
    this.#running = this.#run()
  }

  /** Starts to send. Before that, the sender only settles lost and too old messages. */
  online(): void {
    this.#isOnline = true
    this.wake()
  }

  wake(): void {
    this.#changed.notifyAll()
  }

  stop(): void {
    this.#stopped.abort()
    this.#retries.stop()
    this.wake()
  }

  /** Resolves when the sender has stopped, and no message is in flight. */
  async ended(): Promise<void> {
    await this.#running
    while (this.#inFlight > 0) await this.#changed.next
  }

  /** Removes all messages up to a number, which were dropped to make room. */
  forget(number: number, end: number): void {
    for (const entry of this.#unsettled.forget(number, end)) this.#retries.forget(entry)
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      const entry = this.#next()
      if (entry) this.#handle(entry)
      else if (this.#parts.backlog.needsRefill && !this.#retries.isFull) await this.#refill()
      else await this.#changed.within(this.#parts.clock.leftMs(this.#parts.backlog.peek()))
    }
  }

  /** Returns the next message to send, or to drop because it is lost or too old. */
  #next(): OutboxEntry | undefined {
    const first = this.#parts.backlog.peek()
    if (first && (first.lossError !== undefined || this.#parts.clock.isTooOld(first)))
      return this.#unsettled.take()
    const { maxInFlight } = this.#options
    if (!this.#isOnline || this.#inFlight >= maxInFlight || this.#retries.isPaused) return undefined
    const again = this.#retries.due
    const isFreshNext = first !== undefined && this.#maySendNew()
    // In the last free place, alternate new messages and messages that failed repeatedly, which could
    // otherwise block all new ones.
    const isLastPlace = this.#inFlight === maxInFlight - 1
    if (
      again &&
      !(isLastPlace && isFreshNext && this.#isLastOvertaken && this.#retries.hasFailedOften(again))
    ) {
      return this.#takeRetry(again)
    }
    return isFreshNext ? this.#unsettled.take() : undefined
  }

  #maySendNew(): boolean {
    if (this.#retries.keepsOrder || this.#retries.isFull) return false
    return this.#retries.streak === 0 || this.#orderedInFlight === 0
  }

  #takeRetry(entry: OutboxEntry): OutboxEntry | undefined {
    const isOvertaken = this.#retries.isOvertaken(entry)
    if (!isOvertaken && this.#retries.streak > 0 && this.#orderedInFlight > 0) return undefined
    this.#retries.take(entry)
    return entry
  }

  #handle(entry: OutboxEntry): void {
    if (!this.#unsettled.has(entry)) return
    if (entry.lossError !== undefined) this.#settle(entry, entry.lossError)
    else if (this.#parts.clock.isTooOld(entry)) this.#drop(entry, this.#parts.clock.tooOld())
    else this.#send(entry)
  }

  async #send(entry: OutboxEntry): Promise<void> {
    const attempt = ++this.#attempts
    const isOvertaken = this.#retries.isOvertaken(entry)
    this.#isLastOvertaken = isOvertaken
    this.#inFlight += 1
    if (!isOvertaken) this.#orderedInFlight += 1
    try {
      await this.#publish(entry, attempt)
      this.#accepted(entry, attempt)
    } catch (error) {
      await this.#rejected(entry, attempt, error)
    } finally {
      this.#inFlight -= 1
      if (!isOvertaken) this.#orderedInFlight -= 1
      this.wake()
    }
  }

  #publish(entry: OutboxEntry, attempt: number): Promise<void> {
    const waitMs = Math.min(this.#options.streamTimeoutMs, this.#parts.clock.leftMs(entry))
    // Count a late acceptance too, unless another attempt was accepted in between.
    return publishWithin(this.#options.stream, entry, waitMs, () => this.#accepted(entry, attempt))
  }

  #accepted(entry: OutboxEntry, attempt: number): void {
    if (!this.#unsettled.has(entry) || this.#unsettled.isMoving(entry)) return
    this.#retries.accepted(entry, attempt)
    this.#parts.accepted()
    this.#settle(entry)
    this.wake()
  }

  async #rejected(entry: OutboxEntry, attempt: number, error: unknown): Promise<void> {
    if (!this.#unsettled.has(entry)) return
    const code = error instanceof AlvariumError ? error.code : undefined
    if (code === 'STREAM_REFUSED' && this.#options.whenRefused === 'drop') this.#drop(entry, error)
    else if (this.#parts.clock.isTooOld(entry)) this.#drop(entry, this.#parts.clock.tooOld(error))
    else if (code !== 'STREAM_SUSPECT' || !(await this.#setAside(entry, error as AlvariumError)))
      this.#failed(entry, attempt, error)
  }

  async #setAside(entry: OutboxEntry, error: AlvariumError): Promise<boolean> {
    const isKept = await this.#unsettled.move(entry, this.#parts.setAside(entry, error))
    if (isKept) this.#retries.forget(entry)
    return isKept
  }

  #failed(entry: OutboxEntry, attempt: number, err: unknown): void {
    if (!this.#unsettled.has(entry)) return
    const isOvertaken = err instanceof AlvariumError && MESSAGE_CODES.includes(err.code)
    const { streak } = this.#retries
    this.#retries.failed(entry, { attempt, attempts: this.#attempts, isOvertaken })
    // Log only the first of simultaneous failures of the stream, but each that the message may have caused.
    if (this.#retries.streak === streak && !isOvertaken) return
    const text = 'outbox: the stream did not accept a message, which is sent again'
    this.#parts.logger.warn({ err, number: entry.number }, text)
  }

  async #refill(): Promise<void> {
    const { backlog, logger } = this.#parts
    try {
      await backlog.refill()
    } catch (err) {
      logger.error({ err }, 'outbox: the store could not be read; trying again')
      await pause(retryDelay(5), this.#stopped.signal)
    }
  }

  #drop(entry: OutboxEntry, error: unknown): void {
    this.#parts.dropped(entry.message, error)
    this.#settle(entry, error)
  }

  #settle(entry: OutboxEntry, error?: unknown): void {
    this.#retries.forget(entry)
    if (!this.#unsettled.leave(entry)) return
    const { number, count } = entry
    for (let each = number - count + 1; each <= number; each++) this.#parts.ledger.settleMessage(each, error)
  }
}
