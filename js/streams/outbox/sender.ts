import { AlvariumError, type ErrorCode } from '../../base/errors.js'
import type { Logger } from '../../base/logger.js'
import { pause } from '../../base/time/backoff.js'
import { Notifier } from '../../base/time/notifier.js'
import type { StreamProvider } from '../stream.js'
import type { Backlog } from './backlog.js'
import type { Clock } from './clock.js'
import { handOver } from './downstream.js'
import type { OutboxEntry } from './entry.js'
import type { Ledger } from './ledger.js'
import { againIn, Retries } from './retries.js'
import { Unsettled } from './unsettled.js'

/** How a sender goes about it. */
export interface SenderOptions {
  readonly maxInFlight: number
  readonly streamTimeoutMs: number
  readonly whenRefused: 'drop' | 'keep'
}

/** What a {@link Sender} works with. */
export interface SenderParts {
  readonly stream: StreamProvider
  readonly backlog: Backlog
  readonly ledger: Ledger
  readonly clock: Clock
  readonly logger: Logger
  /** The stream has accepted one. */
  accepted(): void
  /** It is settled without having been delivered. */
  dropped(message: Uint8Array, error: unknown): void
  /** Sets it aside. Resolves with whether it is kept elsewhere, durably; if not, it is sent again. */
  setAside(entry: OutboxEntry, error: AlvariumError): Promise<boolean>
  /** More is settled than before. */
  settled(): void
}

/** Codes of failures that may be the message's own: those behind it need not wait until it is accepted. */
const ABOUT_MESSAGE: readonly ErrorCode[] = ['STREAM_REFUSED', 'STREAM_SUSPECT', 'STREAM_TIMEOUT']

/**
 * Hands what is stored to the stream, in order, a window at a time. What the stream does not accept is sent again before
 * anything newer, and alone while the stream fails. A message that fails again and again keeps nothing back: others
 * overtake it, see {@link Retries}.
 */
export class Sender {
  readonly #options: SenderOptions
  readonly #parts: SenderParts
  readonly #unsettled: Unsettled
  readonly #changed = new Notifier()
  readonly #retries = new Retries(() => this.wake())
  #attempts = 0
  #inFlight = 0
  /** Of those in flight, how many keep their place in the order. */
  #inOrder = 0
  #isLastOvertaken = false
  #isOnline = false
  readonly #stopped = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: SenderOptions, parts: SenderParts) {
    this.#options = options
    this.#parts = parts
    this.#unsettled = new Unsettled(parts)
  }

  /** When the oldest that is not settled was stored, by the {@link Clock}. */
  get oldestAt(): number | undefined {
    return this.#unsettled.first?.bornAt
  }

  /** How many were handed to the stream and are not settled. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** See {@link Unsettled.oldest}. */
  oldest(): Promise<OutboxEntry | undefined> {
    return this.#unsettled.oldest()
  }

  start(): void {
    this.#running = this.#run()
  }

  /** The stream accepts messages from now on. Before, only messages that are too old were dropped. */
  online(): void {
    this.#isOnline = true
    this.wake()
  }

  /** Something has changed. */
  wake(): void {
    this.#changed.tell()
  }

  /** Sends no more. */
  stop(): void {
    this.#stopped.abort()
    this.#retries.stop()
    this.wake()
  }

  /** Resolves when it has stopped, and what was in flight is settled. */
  async ended(): Promise<void> {
    await this.#running
    while (this.#inFlight > 0) await this.#changed.next
  }

  /** Everything up to this number is settled by somebody else. */
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

  /** The next one that can be handled now: sent, or dropped for its age. */
  #next(): OutboxEntry | undefined {
    const first = this.#parts.backlog.peek()
    if (first && (first.gone !== undefined || this.#parts.clock.isTooOld(first)))
      return this.#unsettled.take()
    const { maxInFlight } = this.#options
    if (!this.#isOnline || this.#inFlight >= maxInFlight || this.#retries.isPaused) return undefined
    const again = this.#retries.due
    const isFreshNext = first !== undefined && this.#mayGo()
    // Of the last free place one that fails for ever has every other turn: others of its kind may have taken the rest.
    const isLastPlace = this.#inFlight === maxInFlight - 1
    if (again && !(isLastPlace && isFreshNext && this.#isLastOvertaken && this.#retries.isHopeless(again))) {
      return this.#again(again)
    }
    return isFreshNext ? this.#unsettled.take() : undefined
  }

  /** Whether something new may be handed over. */
  #mayGo(): boolean {
    if (this.#retries.keepsOrder || this.#retries.isFull) return false
    return this.#retries.streak === 0 || this.#inOrder === 0
  }

  #again(entry: OutboxEntry): OutboxEntry | undefined {
    const isOvertaken = this.#retries.isOvertaken(entry)
    if (!isOvertaken && this.#retries.streak > 0 && this.#inOrder > 0) return undefined
    this.#retries.take(entry)
    return entry
  }

  #handle(entry: OutboxEntry): void {
    if (!this.#unsettled.has(entry)) return
    if (entry.gone !== undefined) this.#settle(entry, entry.gone)
    else if (this.#parts.clock.isTooOld(entry)) this.#drop(entry, this.#parts.clock.tooOld())
    else this.#send(entry)
  }

  async #send(entry: OutboxEntry): Promise<void> {
    const attempt = ++this.#attempts
    const isOvertaken = this.#retries.isOvertaken(entry)
    this.#isLastOvertaken = isOvertaken
    this.#inFlight += 1
    if (!isOvertaken) this.#inOrder += 1
    try {
      await this.#publish(entry, attempt)
      this.#accepted(entry, attempt)
    } catch (error) {
      await this.#rejected(entry, attempt, error)
    } finally {
      this.#inFlight -= 1
      if (!isOvertaken) this.#inOrder -= 1
      this.wake()
    }
  }

  #publish(entry: OutboxEntry, attempt: number): Promise<void> {
    const waitMs = Math.min(this.#options.streamTimeoutMs, this.#parts.clock.leftMs(entry))
    // Late is as good as in time, if it was not accepted meanwhile.
    return handOver(this.#parts.stream, entry, waitMs, () => this.#accepted(entry, attempt))
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
    const isKept = await this.#unsettled.move(entry, () => this.#parts.setAside(entry, error))
    if (isKept) this.#retries.forget(entry)
    return isKept
  }

  #failed(entry: OutboxEntry, attempt: number, err: unknown): void {
    if (!this.#unsettled.has(entry)) return
    const isOvertaken = err instanceof AlvariumError && ABOUT_MESSAGE.includes(err.code)
    const { streak } = this.#retries
    this.#retries.failed(entry, { attempt, attempts: this.#attempts, isOvertaken })
    // Of those that fail together, one is logged.
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
      await pause(againIn(5), this.#stopped.signal)
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
    for (let each = number - count + 1; each <= number; each++) this.#parts.ledger.tell(each, error)
  }
}
