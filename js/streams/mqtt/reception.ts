import type { Arrival } from './inbox.js'

/**
 * Messages as they come, for one consumer; `close()` and the signal end it.
 *
 * It says what becomes of the connection: an event `online` whenever the broker has the subscription, `offline` when
 * the connection is lost (the reason is the event's `detail`).
 */
export interface Reception extends EventTarget {
  /**
   * Resolves when the broker has the subscription, so that nothing published from now on is missed. The
   * first `take()` does it too.
   *
   * @throws AlvariumError `STREAM_UNREACHABLE`; `STREAM_REFUSED` when the broker refuses the subscription, or grants less
   * than was asked for; `STREAM_UNAVAILABLE` when it refuses for now; `STREAM_CLOSED`
   */
  open(): Promise<void>
  /**
   * What has come, at least one message; none when it has ended. Each is the broker's until it is acknowledged.
   *
   * @throws as `open()` does, once
   */
  take(): Promise<Arrival[]>
  /** Whether nothing more comes until something is settled. */
  readonly isFull: boolean
  /** How many messages may be here and not acknowledged, and how many the broker is known to send: it may have less room. */
  readonly window: { readonly prefetch: number; readonly reached: number }
  /** Leaves the group, if it is in one: the broker has nothing new for us from then on. */
  leave(): Promise<void>
  /** Resolves when all that the broker had for us when we left is settled, or the connection is lost. */
  drained(): Promise<void>
  close(): Promise<void>
}
