import { backoff, MAX_BACKOFF_MS } from '../../../foundation/base/time/backoff.js'
import { isRandom } from './client-id.js'
import { ReasonError, TAKEN_OVER } from './reasons.js'

/** Milliseconds after which a connection counts as stable, so that the next delay before reconnecting is short. */
const STABLE_MS = 10_000
/**
 * A connection counts as short unless it lasts longer than `STABLE_MS`, and also longer than this many times
 * the delay before it. Another client with our id also waits before it reconnects, and only then ends our
 * connection.
 */
const MIN_WAIT_MULTIPLE = 4
/** Maximum milliseconds between attempts while messages wait, so that several attempts precede their timeout. */
export const MAX_WAIT_WITH_MESSAGES_MS = 5_000
/** Number of short connections in a row after which delays grow and another client is suspected. */
const MAX_SHORT_CONNECTIONS = 3
/** Minimum of `#delayCount` after a takeover, which lengthens the next delay at once. */
const MIN_COUNT_AFTER_TAKEOVER = MAX_SHORT_CONNECTIONS + 2

/** Returns the end of an error text: the clause that another client uses the same client id. */
export function describeRival(clientId: string, uses: string): string {
  return `another client ${uses} the clientId ${JSON.stringify(clientId)}: each client needs its own`
}

/** Timing of the attempts to reconnect. It also explains repeated short connections. */
export class Reconnection {
  readonly #clientId: string
  #failures = 0
  /** Number of consecutive connections that ended soon after they began. */
  #shortConnections = 0
  #delayCount = 0
  #waitMs = 0

  constructor(clientId: string) {
    this.#clientId = clientId
  }

  /** Number of attempts since a connection was healthy, or lasted longer than `STABLE_MS`. */
  get failures(): number {
    return this.#failures
  }

  confirmHealthy(): void {
    this.#failures = 0
  }

  /**
   * Records the end of a connection. Returns the reason, with a note if another client may have caused the
   * end.
   */
  recordEnd(reason: Error, afterMs: number): Error {
    if (afterMs > STABLE_MS) this.#failures = 0
    const isLong = afterMs > Math.max(STABLE_MS, MIN_WAIT_MULTIPLE * this.#waitMs)
    this.#shortConnections = isLong ? 0 : this.#shortConnections + 1
    this.#delayCount = isLong ? 0 : this.#delayCount + 1
    const isTakenOver = reason instanceof ReasonError && reason.reason.code === TAKEN_OVER
    if (isTakenOver) {
      this.#delayCount = Math.max(this.#delayCount, MIN_COUNT_AFTER_TAKEOVER)
      return new ReasonError(reason.reason, `${reason.message}; ${describeRival(this.#clientId, 'uses')}`)
    }
    if (
      reason instanceof ReasonError ||
      this.#shortConnections < MAX_SHORT_CONNECTIONS ||
      isRandom(this.#clientId)
    )
      return reason
    const text = `${reason.message}; the last ${this.#shortConnections} connections ended soon after they began, ${describeRival(this.#clientId, 'may use')}`
    return new Error(text, { cause: reason })
  }

  nextWaitMs(areMessagesWaiting: boolean): number {
    this.#waitMs = this.backoffMs(areMessagesWaiting ? MAX_WAIT_WITH_MESSAGES_MS : MAX_BACKOFF_MS)
    this.#failures++
    return this.#waitMs
  }

  /** Returns a random delay in milliseconds, at most `maxMs`, that grows with the number of failures. */
  backoffMs(maxMs: number): number {
    return backoff(Math.max(this.#failures, this.#delayCount - MAX_SHORT_CONNECTIONS), Math.random(), maxMs)
  }
}
