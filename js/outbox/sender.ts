import { AlvariumError, type ErrorCode } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { LONGEST_TIMEOUT } from '../base/schema.js'
import { TOO_LATE, within } from '../base/timeout.js'
import type { StreamProvider } from '../streams/stream.js'
import type { Backlog } from './backlog.js'
import type { Clock } from './clock.js'
import type { Entry } from './entry.js'
import type { Ledger } from './ledger.js'
import { againIn } from './pause.js'
import { Retries } from './retries.js'

/** How a sender goes about it. */
export interface SenderOptions {
  readonly maxInFlight: number
  readonly maxAgeMs: number
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
  /** Takes it out of the way. Resolves with whether it is kept elsewhere, durably; if not, it is sent again. */
  setAside(entry: Entry, error: AlvariumError): Promise<boolean>
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
  /** Taken and not settled, in order: what is under way, and what is to be sent again. */
  readonly #taken = new Set<Entry>()
  /** What of it is being set aside: until that is done, it is nobody else's. */
  readonly #parting = new Map<Entry, Promise<boolean>>()
  #takenThrough: { number: number; end: number } | undefined
  readonly #retries = new Retries(() => this.wake())
  #attempts = 0
  #inFlight = 0
  /** Of those under way, how many keep their place in the order. */
  #inOrder = 0
  #isLastOvertaken = false
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
    return (first ?? this.#parts.backlog.peek())?.bornAt
  }

  /** How many were handed to the stream and are not settled. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** The oldest that is not settled, or what is gone before it; nothing when all are settled. */
  async oldest(): Promise<Entry | undefined> {
    const { backlog, ledger } = this.#parts
    const first = () => this.#taken.values().next().value ?? backlog.peek()
    for (;;) {
      if (!first() && backlog.needsRefill) await backlog.refill(ledger)
      const entry = first()
      const parting = entry && this.#parting.get(entry)
      if (!parting) return entry
      await parting
    }
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
    this.#retries.stop()
    this.wake()
  }

  /** Resolves when it has stopped, and what was under way is settled. */
  async ended(): Promise<void> {
    await this.#running
    while (this.#inFlight > 0) await this.#change()
  }

  /** Everything up to this number is settled by somebody else. */
  forget(number: number, end: number): void {
    for (const entry of this.#taken) {
      if (entry.number > number) break
      this.#taken.delete(entry)
      this.#retries.forget(entry)
    }
    this.#parts.backlog.forget(number)
    if (number > (this.#takenThrough?.number ?? 0)) this.#takenThrough = { number, end }
    this.#advance()
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const entry = this.#next()
      if (entry) this.#handle(entry)
      else if (this.#parts.backlog.needsRefill && !this.#retries.isFull) await this.#refill()
      else await this.#change(this.#oldIn())
    }
  }

  /** The next one that can be handled now: sent, or dropped for its age. */
  #next(): Entry | undefined {
    const first = this.#parts.backlog.peek()
    if (first && (first.gone !== undefined || this.#isTooOld(first))) return this.#take()
    const { maxInFlight } = this.#options
    if (!this.#isOnline || this.#inFlight >= maxInFlight || this.#retries.isPaused) return undefined
    const again = this.#retries.due
    const isFreshNext = first !== undefined && this.#mayGo()
    // Of the last free place one that fails for ever has every other turn: others of its kind may have taken the rest.
    const isLastPlace = this.#inFlight === maxInFlight - 1
    if (again && !(isLastPlace && isFreshNext && this.#isLastOvertaken && this.#retries.isHopeless(again))) {
      return this.#again(again)
    }
    return isFreshNext ? this.#take() : undefined
  }

  /** Whether something new may be handed over. */
  #mayGo(): boolean {
    if (this.#retries.keepsOrder || this.#retries.isFull) return false
    return this.#retries.streak === 0 || this.#inOrder === 0
  }

  #again(entry: Entry): Entry | undefined {
    const isOvertaken = this.#retries.isOvertaken(entry)
    if (!isOvertaken && this.#retries.streak > 0 && this.#inOrder > 0) return undefined
    this.#retries.take(entry)
    return entry
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
    if (entry.gone !== undefined) this.#settle(entry, entry.gone)
    else if (this.#isTooOld(entry)) this.#drop(entry, tooOld(this.#options.maxAgeMs))
    else this.#send(entry)
  }

  #leftMs({ bornAt }: Entry): number {
    return bornAt + this.#options.maxAgeMs - this.#parts.clock.now()
  }

  #isTooOld(entry: Entry): boolean {
    return this.#leftMs(entry) < 0
  }

  async #send(entry: Entry): Promise<void> {
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

  /** @throws AlvariumError `STREAM_TIMEOUT` when the stream has not answered in time; and what it rejects with */
  async #publish(entry: Entry, attempt: number): Promise<void> {
    const { streamTimeoutMs } = this.#options
    const answer = Promise.resolve(this.#parts.stream.publish(entry.message, entry.options))
    const waitMs = Math.min(streamTimeoutMs, Math.max(0, this.#leftMs(entry)) + 1, LONGEST_TIMEOUT)
    if ((await within(answer, waitMs)) !== TOO_LATE) return
    // Late is as good as in time, if it was not accepted meanwhile.
    answer.then(
      () => this.#accepted(entry, attempt),
      () => {},
    )
    const text = `stream.publish: expected the message to be accepted, got no answer within ${Math.round(waitMs)} ms`
    throw new AlvariumError('STREAM_TIMEOUT', text)
  }

  #accepted(entry: Entry, attempt: number): void {
    if (!this.#taken.has(entry) || this.#parting.has(entry)) return
    this.#retries.accepted(entry, attempt)
    this.#parts.accepted()
    this.#settle(entry)
    this.wake()
  }

  async #rejected(entry: Entry, attempt: number, error: unknown): Promise<void> {
    if (!this.#taken.has(entry)) return
    const code = error instanceof AlvariumError ? error.code : undefined
    if (code === 'STREAM_REFUSED' && this.#options.whenRefused === 'drop') this.#drop(entry, error)
    else if (this.#isTooOld(entry)) this.#drop(entry, tooOld(this.#options.maxAgeMs, error))
    else if (code !== 'STREAM_SUSPECT' || !(await this.#setAside(entry, error as AlvariumError)))
      this.#failed(entry, attempt, error)
  }

  #setAside(entry: Entry, error: AlvariumError): Promise<boolean> {
    const parting = this.#part(entry, error)
    this.#parting.set(entry, parting)
    return parting
  }

  async #part(entry: Entry, error: AlvariumError): Promise<boolean> {
    const isKept = await this.#parts.setAside(entry, error)
    this.#parting.delete(entry)
    if (!isKept) return false
    this.#retries.forget(entry)
    this.#leave(entry)
    return true
  }

  #failed(entry: Entry, attempt: number, err: unknown): void {
    if (!this.#taken.has(entry)) return
    const isOvertaken = err instanceof AlvariumError && ABOUT_MESSAGE.includes(err.code)
    const { streak } = this.#retries
    this.#retries.failed(entry, { attempt, attempts: this.#attempts, isOvertaken })
    // Of those that fail together one is told.
    if (this.#retries.streak === streak && !isOvertaken) return
    const text = 'outbox: the stream did not accept a message, which is sent again'
    this.#parts.logger.warn({ err, number: entry.number }, text)
  }

  /** Milliseconds until the next one is too old. */
  #oldIn(): number {
    const first = this.#parts.backlog.peek()
    const leftMs = first ? this.#leftMs(first) + 1 : Number.POSITIVE_INFINITY
    // A timer for each message, for what is years away, costs more than it is worth.
    return leftMs > LONGEST_TIMEOUT ? Number.POSITIVE_INFINITY : leftMs
  }

  async #refill(): Promise<void> {
    const { backlog, ledger, logger } = this.#parts
    try {
      await backlog.refill(ledger)
    } catch (err) {
      logger.error({ err }, 'outbox: the store could not be read; trying again')
      await this.#pause(againIn(5))
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    let isOver = false
    const end = () => {
      isOver = true
      this.wake()
    }
    const timer = setTimeout(end, milliseconds)
    while (!this.#isStopped && !isOver) await this.#change()
    clearTimeout(timer)
  }

  #drop(entry: Entry, error: unknown): void {
    this.#parts.dropped(entry.message, error)
    this.#settle(entry, error)
  }

  #settle(entry: Entry, error?: unknown): void {
    this.#retries.forget(entry)
    if (!this.#leave(entry)) return
    const { number, count } = entry
    for (let each = number - count + 1; each <= number; each++) this.#parts.ledger.tell(each, error)
  }

  /** It is none of the sender's any more. */
  #leave(entry: Entry): boolean {
    if (!this.#taken.delete(entry)) return false
    this.#advance()
    return true
  }

  /** Up to the first that is not settled. */
  #advance(): void {
    const [first] = this.#taken
    const through = first
      ? { number: first.number - first.count, end: first.end - first.length }
      : this.#takenThrough
    if (!through) return
    this.#parts.ledger.settleThrough(through.number, through.end)
    this.#parts.settled()
  }

  /** Resolves at the next change, or after so many milliseconds. */
  #change(milliseconds = Number.POSITIVE_INFINITY): Promise<void> {
    return new Promise((resolve) => {
      const timer = milliseconds < Number.POSITIVE_INFINITY ? setTimeout(resolve, milliseconds) : undefined
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function tooOld(maxAgeMs: number, cause?: unknown): AlvariumError {
  const text = `outbox: expected the stream to accept the message within maxAgeMs, ${maxAgeMs} ms`
  return new AlvariumError('STREAM_TIMEOUT', text, cause === undefined ? {} : { cause })
}
