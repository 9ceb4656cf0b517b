import { backoff, LONGEST_MS } from '../../base/time/backoff.js'
import { isRandom } from './client-id.js'
import { ReasonError, TAKEN_OVER } from './reasons.js'

/** A connection that ends sooner has failed. A broker that cuts each connection at once must not cause a storm. */
const STABLE_MS = 10_000
/** One that lasted no longer than this many times our wait for it has failed too: two clients that take turns wait for each other. */
const WAITS = 4
/** The longest wait while messages wait for the broker: most of their time must not pass between two attempts. */
export const LONGEST_IN_HASTE_MS = 5_000
/** This many connections may end early before each wait is longer than the last. */
const FEW = 3
/** A client that took over our session comes back soon if we do. */
const RIVAL = FEW + 2

/** What to do about a client with the same name, as the end of a sentence. */
export function rival(clientId: string, uses: string): string {
  return `another client ${uses} the clientId ${JSON.stringify(clientId)}: each client needs its own`
}

/** When the next attempt comes, and what connections that do not last have in common. */
export class Reconnection {
  readonly #clientId: string
  #failures = 0
  /** Connections in a row that ended early. */
  #ends = 0
  #waitMs = 0

  constructor(clientId: string) {
    this.#clientId = clientId
  }

  /** Failed attempts and connections, one after the other. */
  get failures(): number {
    return this.#failures
  }

  /** The connection was of use: if it is lost now, the next attempt follows at once. */
  proven(): void {
    this.#failures = 0
  }

  /**
   * A connection has ended.
   *
   * @returns the reason, with what is to be said about it
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

  /** How long to wait before the next attempt, in milliseconds. */
  nextMs(isHasty: boolean): number {
    this.#waitMs = this.againMs(isHasty ? LONGEST_IN_HASTE_MS : LONGEST_MS)
    this.#failures++
    return this.#waitMs
  }

  /** The same for an attempt that is already planned, which waits at most this long from now on. */
  againMs(longestMs: number): number {
    return backoff(Math.max(this.#failures, this.#ends - FEW), Math.random(), longestMs)
  }
}
