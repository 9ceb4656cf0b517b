import { AlvariumError } from '../../base/errors.js'
import type { OutboxEntry } from './entry.js'

/** What was stored through this number was stored before the machine's clock was set, and by how many milliseconds since. */
export type ClockSet = readonly [through: number, byMs: number]

/** What the machine's clock gains or loses by itself, or while it is read, is less. */
const LEAST_SET_MS = 1000
/** Of more, the oldest are forgotten. */
const MOST_SETS = 100

/**
 * Tells how old messages are, and how old they may get. While the process runs, its clock only goes forward, whatever happens
 * to the machine's clock: NTP sets it, and it goes on while the machine sleeps, when ours stands still. By how much it was set goes into the
 * store's mark, so that the next process finds messages as old as they were. Between processes there is only the machine's clock: a
 * message that seems to come from the future counts as new.
 */
export class Clock {
  readonly #maxAgeMs: number
  readonly #wall = Date.now()
  readonly #start = performance.now()
  /** The last number of an earlier process. */
  readonly #inherited: number
  #sets: readonly ClockSet[]
  /** The last number that was stored, or is being stored. */
  #last: number
  /** By how much the machine's clock was set since the start. */
  #setMs = 0

  constructor(maxAgeMs: number, sets: readonly ClockSet[], last: number) {
    this.#maxAgeMs = maxAgeMs
    this.#sets = sets
    this.#inherited = last
    this.#last = last
  }

  /** Milliseconds since 1970, as if the machine's clock had not been changed since the start. */
  now(): number {
    return this.#wall + performance.now() - this.#start
  }

  /** The machine's time by {@link now}. */
  machineTime(time: number): number {
    this.#look()
    return time + this.#setMs
  }

  /** For records that are being stored, from this number on: `now`. Those of an attempt that failed had these numbers before. */
  storing(first: number, count: number): number {
    this.#sets = this.#sets.map(([through, byMs]) => [Math.min(through, first - 1), byMs])
    this.#last = first - 1
    this.#look()
    this.#last += count
    return this.now()
  }

  /** When a record was stored, by {@link now}, of what it says itself; of an earlier process, not after this one started. */
  bornAt(number: number, storedAt: number): number {
    const [, byMs] = this.#sets.find(([through]) => number <= through) ?? [0, 0]
    const bornAt = storedAt + byMs - this.#setMs
    return number > this.#inherited ? bornAt : Math.min(bornAt, this.#wall)
  }

  /** For the mark: what matters to records after this number. */
  setsAfter(number: number): readonly ClockSet[] {
    this.#look()
    return this.#sets.filter(([through]) => through > number).slice(-MOST_SETS)
  }

  /** Whether the machine's clock was set since we last looked. */
  #look(): void {
    const byMs = Math.round(Date.now() - this.now()) - this.#setMs
    if (Math.abs(byMs) < LEAST_SET_MS) return
    this.#setMs += byMs
    const earlier = this.#sets.map(([through, before]): ClockSet => [through, before + byMs])
    this.#sets = [...earlier, [this.#last, byMs]]
  }

  isTooOld(entry: OutboxEntry): boolean {
    return this.#leftMs(entry) < 0
  }

  /** Milliseconds until it is too old; infinite if there is no message. */
  leftMs(entry: OutboxEntry | undefined): number {
    return entry ? Math.max(0, this.#leftMs(entry)) + 1 : Number.POSITIVE_INFINITY
  }

  /** The error of a message that is dropped because it is too old. */
  tooOld(cause?: unknown): AlvariumError {
    const text = `outbox: expected the stream to accept the message within maxAgeMs, ${this.#maxAgeMs} ms`
    return new AlvariumError('STREAM_TIMEOUT', text, cause === undefined ? {} : { cause })
  }

  #leftMs({ bornAt }: OutboxEntry): number {
    return bornAt + this.#maxAgeMs - this.now()
  }
}
