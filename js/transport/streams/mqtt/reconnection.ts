import { backoff, MAX_BACKOFF_MS } from '../../../foundation/base/time/backoff.js'
import { isRandom } from './client-id.js'
import { ReasonError, TAKEN_OVER } from './reasons.js'

/** Minimum duration of a successful connection. A broker that cuts each connection at once must not cause a storm. */
const STABLE_MS = 10_000
/** Minimum duration as a multiple of the wait before it, because two clients that take turns wait for each other. */
const WAITS = 4
/** Longest wait while messages wait for the broker: most of their timeout must not pass between two attempts. */
export const LONGEST_IN_HASTE_MS = 5_000
/** Number of connections that may end early before each wait is longer than the last. */
const FEW = 3
/**
 * Minimum count of early ends after a takeover, because the client that took our session over reconnects soon if we do.
 */
const RIVAL = FEW + 2

/** Describes a client with the same name, as the end of a sentence. */
export function rival(clientId: string, uses: string): string {
  return `another client ${uses} the clientId ${JSON.stringify(clientId)}: each client needs its own`
}

/** Times the next attempt, and explains repeated short connections. */
export class Reconnection {
  readonly #clientId: string
  #failures = 0
  /** Number of connections in a row that ended early. */
  #ends = 0
  #waitMs = 0

  constructor(clientId: string) {
    this.#clientId = clientId
  }

  /** Number of failed attempts and connections in a row. */
  get failures(): number {
    return this.#failures
  }

  /** Records that the connection was useful: if it is lost now, the next attempt follows at once. */
  proven(): void {
    this.#failures = 0
  }

  /**
   * Records the end of a connection.
   *
   * @returns the reason, with an explanation if one is known
   */
  ended(reason: Error, afterMs: number): Error {
    if (afterMs > STABLE_MS) this.#failures = 0
    if (afterMs > Math.max(STABLE_MS, WAITS * this.#waitMs)) this.#ends = 0
    const isTakenOver = reason instanceof ReasonError && reason.reason.code === TAKEN_OVER
    this.#ends = isTakenOver ? Math.max(this.#ends + 1, RIVAL) : this.#ends + 1
    if (isTakenOver) return new ReasonError(reason.reason, `${reason.message}; ${this.#rival('uses')}`)
    if (reason instanceof ReasonError || this.#ends < FEW || isRandom(this.#clientId)) return reason
    const text = `${reason.message}; the last ${this.#ends} connections ended soon after they began, ${this.#rival('may use')}`
    return new Error(text, { cause: reason })
  }

  #rival(uses: string): string {
    return rival(this.#clientId, uses)
  }

  /** Returns the wait before the next attempt, in milliseconds. */
  nextMs(isHasty: boolean): number {
    this.#waitMs = this.againMs(isHasty ? LONGEST_IN_HASTE_MS : MAX_BACKOFF_MS)
    this.#failures++
    return this.#waitMs
  }

  /** Returns a new wait for an attempt that is already planned, at most this long from now on. */
  againMs(longestMs: number): number {
    return backoff(Math.max(this.#failures, this.#ends - FEW), Math.random(), longestMs)
  }
}
