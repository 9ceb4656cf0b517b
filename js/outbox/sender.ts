import { AlvariumError, isError } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { StreamProvider } from '../streams/stream.js'
import type { Backlog } from './backlog.js'
import type { Clock } from './clock.js'
import type { Entry } from './entry.js'
import type { Ledger } from './ledger.js'
import { againIn } from './pause.js'

/** How a sender goes about it. */
export interface SenderOptions {
  readonly maxInFlight: number
  readonly maxAgeMs: number
  readonly whenRefused: 'drop' | 'keep'
}

/** What a {@link Sender} works with. */
export interface SenderParts {
  readonly stream: StreamProvider
  readonly backlog: Backlog
  readonly ledger: Ledger
  readonly clock: Clock
  readonly logger: Logger
  /** It is settled without having been delivered. */
  dropped(message: Uint8Array, error: unknown): void
  /** More is settled than before. */
  settled(): void
}

/**
 * Hands what is stored to the stream, in order, a window at a time. When the stream rejects one, it waits until nothing
 * is under way, and sends the rejected ones again before any other: the first of them alone.
 */
export class Sender {
  readonly #options: SenderOptions
  readonly #parts: SenderParts
  /** Taken and not settled, in order: what is under way, what has failed and what is to be sent again. */
  readonly #taken = new Set<Entry>()
  #takenThrough: { number: number; end: number } | undefined
  #again: Entry[] = []
  #failed: Entry[] = []
  #lastError: unknown
  #failures = 0
  #inFlight = 0
  #isOnline = false
  #isStopped = false
  #wake: (() => void) | undefined
  #running: Promise<void> | undefined

  constructor(options: SenderOptions, parts: SenderParts) {
    this.#options = options
    this.#parts = parts
  }

  /** When the oldest that is not settled was stored, in milliseconds since 1970. */
  get oldestAt(): number | undefined {
    const [first] = this.#taken
    return first?.bornAt
  }

  start(): void {
    this.#running = this.#run()
  }

  /** The stream takes messages from now on; until then, those that are too old are dropped. */
  online(): void {
    this.#isOnline = true
    this.wake()
  }

  /** Something has changed. */
  wake(): void {
    this.#wake?.()
  }

  /** Sends no more. */
  stop(): void {
    this.#isStopped = true
    this.wake()
  }

  /** Resolves when it has stopped, and what was under way is settled. */
  async ended(): Promise<void> {
    await this.#running
    while (this.#inFlight > 0) await this.#change()
  }

  /** Everything up to this number is settled by somebody else. */
  forget(number: number, end: number): void {
    for (const entry of this.#taken) if (entry.number <= number) this.#taken.delete(entry)
    this.#parts.backlog.forget(number)
    if (number > (this.#takenThrough?.number ?? 0)) this.#takenThrough = { number, end }
    this.#advance()
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const { backlog } = this.#parts
      if (this.#failed.length > 0) await this.#recover()
      else if (this.#inFlight >= this.#window) await this.#change()
      else {
        const entry = this.#next()
        if (entry) this.#handle(entry)
        else if (backlog.isBehind && this.#again.length === 0) await this.#refill()
        else await this.#change()
      }
    }
  }

  /** After a failure one goes alone until the stream takes it: others would overtake it, and fail too. */
  get #window(): number {
    return this.#failures > 0 ? 1 : this.#options.maxInFlight
  }

  /** The next one that can be handled now: sent, or dropped for its age. */
  #next(): Entry | undefined {
    const entry = this.#again.shift() ?? this.#take()
    if (!entry || this.#isOnline || this.#isTooOld(entry)) return entry
    this.#again.unshift(entry)
    return undefined
  }

  #take(): Entry | undefined {
    const entry = this.#parts.backlog.take()
    if (!entry) return undefined
    this.#taken.add(entry)
    this.#takenThrough = entry
    return entry
  }

  #handle(entry: Entry): void {
    if (!this.#taken.has(entry)) return
    if (entry.damage) this.#drop(entry, entry.damage)
    else if (this.#isTooOld(entry)) this.#drop(entry, tooOld(this.#options.maxAgeMs))
    else this.#send(entry)
  }

  #isTooOld({ bornAt }: Entry): boolean {
    return this.#parts.clock.now() - bornAt > this.#options.maxAgeMs
  }

  async #send(entry: Entry): Promise<void> {
    this.#inFlight += 1
    try {
      await this.#parts.stream.publish(entry.message, entry.options)
      this.#failures = 0
      this.#settle(entry)
    } catch (error) {
      if (!this.#taken.has(entry)) return
      if (this.#isFinal(error)) this.#drop(entry, error)
      else this.#failed.push(entry)
      this.#lastError = error
    } finally {
      this.#inFlight -= 1
      this.wake()
    }
  }

  #isFinal(error: unknown): boolean {
    return this.#options.whenRefused === 'drop' && isRefusal(error) && !isForNow(error.cause)
  }

  /** Once nothing is under way any more, what has failed goes first, in its order. */
  async #recover(): Promise<void> {
    while (this.#inFlight > 0) await this.#change()
    if (this.#isStopped) return
    const fields = { err: this.#lastError, messages: this.#failed.length }
    this.#parts.logger.warn(fields, 'outbox: the stream did not take messages, which are sent again')
    this.#again = [...this.#failed, ...this.#again].sort((one, other) => one.number - other.number)
    this.#failed = []
    await this.#pause()
  }

  async #pause(): Promise<void> {
    let isOver = false
    const end = () => {
      isOver = true
      this.wake()
    }
    const timer = setTimeout(end, againIn(this.#failures++))
    while (!this.#isStopped && !isOver) await this.#change()
    clearTimeout(timer)
  }

  async #refill(): Promise<void> {
    const { backlog, ledger, logger } = this.#parts
    try {
      await backlog.refill(ledger)
    } catch (err) {
      logger.error({ err }, 'outbox: the store could not be read')
      await this.#pause()
    }
  }

  #drop(entry: Entry, error: unknown): void {
    this.#parts.dropped(entry.message, error)
    this.#settle(entry, error)
  }

  #settle(entry: Entry, error?: unknown): void {
    if (!this.#taken.delete(entry)) return
    this.#parts.ledger.tell(entry.number, error)
    this.#advance()
  }

  /** Up to the first that is not settled. */
  #advance(): void {
    const [first] = this.#taken
    const through = first ? { number: first.number - 1, end: first.end - first.length } : this.#takenThrough
    if (!through) return
    this.#parts.ledger.settleThrough(through.number, through.end)
    this.#parts.settled()
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

/**
 * Reason codes of MQTT 5 (2.4) that speak of the broker and its settings, not of the message: unspecified, implementation
 * specific, not authorized, quota exceeded. Whoever runs the broker mends that, and the message is as good as before.
 */
const FOR_NOW: readonly unknown[] = [0x80, 0x83, 0x87, 0x97]

function isRefusal(error: unknown): error is AlvariumError {
  return error instanceof AlvariumError && error.code === 'STREAM_REFUSED'
}

function isForNow(cause: unknown): boolean {
  return isError(cause) && 'code' in cause && FOR_NOW.includes(cause.code)
}

function tooOld(maxAgeMs: number): AlvariumError {
  const text = `outbox: expected the stream to accept the message within maxAgeMs, ${maxAgeMs} ms`
  return new AlvariumError('STREAM_TIMEOUT', text)
}
