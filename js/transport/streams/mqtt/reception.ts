import type { Arrival } from './inbox.js'

/**
 * Messages from a broker, for one consumer; `close()` and the signal end it.
 *
 * Dispatches the event `online` whenever the broker has the subscription, and `offline` when the connection is lost
 * (the reason is the event's `detail`).
 */
export interface Reception extends EventTarget {
  /**
   * Resolves when the broker has the subscription, so that nothing published from now on is missed. The first `take()`
   * also opens it.
   *
   * @throws AlvariumError `STREAM_UNREACHABLE`; `STREAM_REFUSED` if the broker refuses the subscription, or grants less
   * than requested; `STREAM_UNAVAILABLE` if it refuses for now; `STREAM_CLOSED`
   */
  open(): Promise<void>
  /**
   * Returns received messages, at least one; none after the end. Each belongs to the broker until it is acknowledged.
   *
   * @throws the error of `open()`, once
   */
  take(): Promise<Arrival[]>
  /** True if no more messages arrive until one is settled. */
  readonly isFull: boolean
  /**
   * Maximum number of received, unacknowledged messages, and the highest number that the broker is known to send: it
   * may allow fewer.
   */
  readonly window: { readonly prefetch: number; readonly reached: number }
  /** Leaves the group, if any: the broker sends no new messages from then on. */
  leave(): Promise<void>
  /** Resolves when all messages that the broker had for us when we left are settled, or the connection is lost. */
  drained(): Promise<void>
  close(): Promise<void>
}
