import { AlvariumError } from '../../../foundation/base/errors.js'
import type { OutboxEntry } from './entry.js'

/**
 * A change of the machine's clock: the last record number that was stored before the change, and the
 * milliseconds by which the clock has been set forward since then (negative if back).
 */
export type ClockSetting = readonly [through: number, byMs: number]

/** Minimum milliseconds of a jump that counts as a change of the clock. Drift causes smaller jumps. */
const MIN_SET_MS = 1000
/** Maximum number of remembered clock settings. The oldest are dropped. */
const MAX_SETS = 100

/**
 * Clock that computes the age of messages. While the process runs, it ignores changes of the machine's
 * clock, for example by NTP. The store's `Mark` records these changes, so that the next process computes
 * the same ages. Changes between two processes are not detected. The `Clock` may stand still while the
 * machine sleeps. A message whose time of storage is in the future counts as new.
 */
export class Clock {
  readonly #maxAgeMs: number
  readonly #wall = Date.now()
  readonly #start = performance.now()
  /** Last record number that an earlier process stored. */
  readonly #lastInherited: number
  #sets: readonly ClockSetting[]
  #last: number
  /** Milliseconds by which the machine's clock was set since this process started. */
  #setMs = 0

  constructor(maxAgeMs: number, sets: readonly ClockSetting[], last: number) {
    this.#maxAgeMs = maxAgeMs
    this.#sets = sets
    this.#lastInherited = last
    this.#last = last
  }

  /** Returns milliseconds since 1970, as if the machine's clock had not been set since this process started. */
  now(): number {
    return this.#wall + performance.now() - this.#start
  }

  /** Converts a time of {@link now} to the time of the machine's clock. */
  machineTime(time: number): number {
    this.#detectSetting()
    return time + this.#setMs
  }

  /**
   * Returns the time of storage of `count` records from number `first` on. A later call may repeat numbers.
   */
  beginStoring(first: number, count: number): number {
    this.#sets = this.#sets.map(([through, byMs]) => [Math.min(through, first - 1), byMs])
    this.#last = first - 1
    this.#detectSetting()
    this.#last += count
    return this.now()
  }

  /**
   * Converts a time of storage to a time of {@link now}. For records of earlier processes, returns at most
   * the start of this process.
   */
  bornAt(number: number, storedAt: number): number {
    const [, byMs] = this.#sets.find(([through]) => number <= through) ?? [0, 0]
    const bornAt = storedAt + byMs - this.#setMs
    return number > this.#lastInherited ? bornAt : Math.min(bornAt, this.#wall)
  }

  /** Returns the clock settings that affect records after a number. */
  setsAfter(number: number): readonly ClockSetting[] {
    this.#detectSetting()
    return this.#sets.filter(([through]) => through > number).slice(-MAX_SETS)
  }

  #detectSetting(): void {
    const byMs = Math.round(Date.now() - this.now()) - this.#setMs
    if (Math.abs(byMs) < MIN_SET_MS) return
    this.#setMs += byMs
    const earlier = this.#sets.map(([through, before]): ClockSetting => [through, before + byMs])
    this.#sets = [...earlier, [this.#last, byMs]]
  }

  isTooOld(entry: OutboxEntry): boolean {
    return this.#leftMs(entry) < 0
  }

  /** Returns the milliseconds until a message is too old: infinity without a message. */
  leftMs(entry: OutboxEntry | undefined): number {
    return entry ? Math.max(0, this.#leftMs(entry)) + 1 : Number.POSITIVE_INFINITY
  }

  tooOld(cause?: unknown): AlvariumError {
    const text = `outbox: expected the stream to accept the message within maxAgeMs, ${this.#maxAgeMs} ms`
    return new AlvariumError('STREAM_TIMEOUT', text, cause === undefined ? {} : { cause })
  }

  #leftMs({ storedAtMonotonic: bornAt }: OutboxEntry): number {
    return bornAt + this.#maxAgeMs - this.now()
  }
}
