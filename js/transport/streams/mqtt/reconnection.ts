import { backoff, MAX_BACKOFF_MS } from '../../../foundation/base/time/backoff.js'
import { isRandom } from './client-id.js'
import { ReasonError, TAKEN_OVER } from './reasons.js'

/** Minimum duration of a successful connection. A broker that cuts each connection at once must not cause a storm. */
const STABLE_MS = 10_000
/** Minimum duration as a multiple of the wait before it, because two clients that take turns wait for each other. */
const MIN_WAIT_MULTIPLE = 4
/** Longest wait while messages wait for the broker: most of their timeout must not pass between two attempts. */
export const MAX_WAIT_WITH_MESSAGES_MS = 5_000
/** Number of connections that may end early before each wait is longer than the last. */
const MAX_SHORT_CONNECTIONS = 3
/**
 * Minimum count of early ends after a takeover, because the client that took our session over reconnects soon if we do.
 */
const MIN_COUNT_AFTER_TAKEOVER = MAX_SHORT_CONNECTIONS + 2

/** Describes a client with the same name, as the end of a sentence. */
export function describeRival(clientId: string, uses: string): string {
  return `another client ${uses} the clientId ${JSON.stringify(clientId)}: each client needs its own`
}

/** Times the next attempt, and explains repeated short connections. */
export class Reconnection {
  readonly #clientId: string
  #failures = 0
  /** Number of connections in a row that ended early. */
  #shortConnections = 0
  #waitMs = 0

  constructor(clientId: string) {
    this.#clientId = clientId
  }

  /** Number of failed attempts and connections in a row. */
  get failures(): number {
    return this.#failures
  }

  /** Records that the connection was useful: if it is lost now, the next attempt follows at once. */
  confirmHealthy(): void {
    this.#failures = 0
  }

  /**
   * Records the end of a connection.
   *
   * @returns the reason, with an explanation if one is known
   */
  recordEnd(reason: Error, afterMs: number): Error {
    if (afterMs > STABLE_MS) this.#failures = 0
    if (afterMs > Math.max(STABLE_MS, MIN_WAIT_MULTIPLE * this.#waitMs)) this.#shortConnections = 0
    const isTakenOver = reason instanceof ReasonError && reason.reason.code === TAKEN_OVER
    this.#shortConnections = isTakenOver
      ? Math.max(this.#shortConnections + 1, MIN_COUNT_AFTER_TAKEOVER)
      : this.#shortConnections + 1
    if (isTakenOver)
      return new ReasonError(reason.reason, `${reason.message}; ${this.#describeRival('uses')}`)
    if (
      reason instanceof ReasonError ||
      this.#shortConnections < MAX_SHORT_CONNECTIONS ||
      isRandom(this.#clientId)
    )
      return reason
    const text = `${reason.message}; the last ${this.#shortConnections} connections ended soon after they began, ${this.#describeRival('may use')}`
    return new Error(text, { cause: reason })
  }

  #describeRival(uses: string): string {
    return describeRival(this.#clientId, uses)
  }

  /** Returns the wait before the next attempt, in milliseconds. */
  nextWaitMs(areMessagesWaiting: boolean): number {
    this.#waitMs = this.backoffMs(areMessagesWaiting ? MAX_WAIT_WITH_MESSAGES_MS : MAX_BACKOFF_MS)
    this.#failures++
    return this.#waitMs
  }

  /** Returns a new wait for an attempt that is already planned, at most this long from now on. */
  backoffMs(maxMs: number): number {
    return backoff(
      Math.max(this.#failures, this.#shortConnections - MAX_SHORT_CONNECTIONS),
      Math.random(),
      maxMs,
    )
  }
}
