import { AlvariumError } from '../base/errors.js'
import type { Clock } from './clock.js'
import type { Entry } from './entry.js'

/** How old messages may get. */
export class Age {
  readonly #maxAgeMs: number
  readonly #clock: Clock

  constructor(maxAgeMs: number, clock: Clock) {
    this.#maxAgeMs = maxAgeMs
    this.#clock = clock
  }

  isOver(entry: Entry): boolean {
    return this.#untilOver(entry) < 0
  }

  /** Milliseconds until it is over; without end where there is no message. */
  leftMs(entry: Entry | undefined): number {
    return entry ? Math.max(0, this.#untilOver(entry)) + 1 : Number.POSITIVE_INFINITY
  }

  /** Why a message is dropped when it is. */
  error(cause?: unknown): AlvariumError {
    const text = `outbox: expected the stream to accept the message within maxAgeMs, ${this.#maxAgeMs} ms`
    return new AlvariumError('STREAM_TIMEOUT', text, cause === undefined ? {} : { cause })
  }

  #untilOver({ bornAt }: Entry): number {
    return bornAt + this.#maxAgeMs - this.#clock.now()
  }
}
