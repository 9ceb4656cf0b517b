/** Of its time, a message has to have so much left to go before others. */
const LEAST_LEFT = 1 / 6
/** Of a message's time, an acknowledgement may take so much before fewer are sent. */
const SLOW = 1 / 10
/** How many are sent to a broker that has not acknowledged any yet. */
const FIRST = 16
/** How much less is sent for each acknowledgement that was slow. */
const BRAKE = 0.9
/** How much of a quicker acknowledgement goes into what is expected of the next. */
const WEIGHT = 1 / 16

/**
 * What holds if more is published than the broker accepts, for however long: messages are sent oldest first, but none
 * before others that has less time left than the broker is going to need, and no more at a time than the broker
 * acknowledges in a fraction of that time. Without the first, every message is sent just before its time is up; without
 * the second, it is up while the message waits inside a slow broker. Either way all are sent and none is acknowledged
 * in time.
 *
 * Oldest first, other than the usual last-in first-out, keeps the order, and delivers all of what can be delivered
 * after an outage.
 */
export class Pace {
  readonly #timeoutMs: number
  #most = FIRST
  #window = FIRST
  #usualMs = 0
  /** How long one takes if nothing else is in flight. */
  #aloneMs = Number.POSITIVE_INFINITY

  /** @param timeoutMs - how long a message has */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs
  }

  /** How many may be in flight. */
  get window(): number {
    return Math.floor(Math.min(this.#window, this.#most))
  }

  /** How long an acknowledgement takes, in milliseconds. */
  get usualMs(): number {
    return this.#usualMs
  }

  /** What has less time left than this lets others go first, in milliseconds. */
  get leastLeftMs(): number {
    const needed = Math.max(this.#timeoutMs * LEAST_LEFT, 2 * this.#usualMs)
    return Math.min(needed, this.#timeoutMs / 2)
  }

  /** There is a connection, on which at most so many may be in flight. */
  begin(most: number): void {
    this.#most = most
    this.#aloneMs = Number.POSITIVE_INFINITY
  }

  /** A message was acknowledged after so long; whether nothing else was in flight when it was sent. */
  answered(afterMs: number, alone: boolean): void {
    this.#usualMs = Math.max(afterMs, this.#usualMs + (afterMs - this.#usualMs) * WEIGHT)
    if (alone || afterMs < this.#aloneMs) this.#aloneMs = afterMs
    // However few are sent, it does not get quicker than that.
    const isSlow = afterMs > Math.max(this.#timeoutMs * SLOW, 2 * this.#aloneMs)
    // A broker that was found to be slow is no faster because its connection is new: this outlives connections.
    this.#window = isSlow ? Math.max(1, this.window * BRAKE) : Math.max(this.#window, this.window + 1)
  }
}
