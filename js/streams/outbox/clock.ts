import { AlvariumError } from '../../base/errors.js'
import type { OutboxEntry } from './entry.js'

/**
 * Tells how old messages are, and how old they may get. While the process runs, its clock only goes forward, whatever happens
 * to the machine's clock. Across processes there is only the machine's clock: a message that seems to come from the future counts
 * as new.
 */
export class Clock {
  readonly #maxAgeMs: number
  readonly #wall = Date.now()
  readonly #start = performance.now()

  constructor(maxAgeMs: number) {
    this.#maxAgeMs = maxAgeMs
  }

  /** Milliseconds since 1970, as if the machine's clock had not been changed since the start. */
  now(): number {
    return this.#wall + performance.now() - this.#start
  }

  /** When a message of an earlier process was stored: not after this one started. */
  past(storedAt: number): number {
    return Math.min(storedAt, this.#wall)
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
