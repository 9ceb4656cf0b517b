import type { ReceivedMessage } from './inbox.js'

/**
 * Messages from a broker for one consumer, until `close()`.
 *
 * Dispatches `online` whenever the broker has the subscription. Dispatches `offline` with the reason in
 * `detail` when the connection is lost or closed, or when the broker temporarily refuses the subscription
 * after a reconnection.
 */
export interface Reception extends EventTarget {
  /**
   * Subscribes, and resolves when the broker has the subscription, so that later messages are not missed. The
   * first `take()` also subscribes.
   *
   * @throws AlvariumError `STREAM_UNREACHABLE`; `STREAM_REFUSED` if the broker refuses the subscription, or
   * grants less than requested; `STREAM_UNAVAILABLE` if the broker refuses it temporarily; `STREAM_CLOSED`
   * after `close()`; `CONFIG_INVALID` if mqtt.js is not installed
   */
  open(): Promise<void>
  /**
   * Waits for messages and returns at least one, or none after the end. With QoS 1 and 2, the broker stores
   * each message until `ack()`.
   *
   * @throws the error that ended the reception, once
   */
  take(): Promise<ReceivedMessage[]>
  /** True if no more messages arrive until a message is settled or set aside. */
  readonly isFull: boolean
  /**
   * Maximum number of unacknowledged messages (`prefetch`), and the highest number so far on this connection
   * (`maxObserved`). A broker may allow fewer than `prefetch`.
   */
  readonly window: { readonly prefetch: number; readonly maxObserved: number }
  /** Leaves the group, if any. The broker then sends no new messages to this receiver. */
  leave(): Promise<void>
  /** Resolves when all messages that the broker still sends after `leave()` are settled, or the connection ends. */
  drained(): Promise<void>
  close(): Promise<void>
}
