import { Latency, type LatencyStats } from '../../foundation/base/time/latency.js'

/** Statistics of a stream: totals since it was opened, and its current state. */
export interface StreamStats {
  /** True while the stream is connected. */
  readonly online: boolean
  /** Number of published messages that have not settled. */
  readonly queued: number
  /** Number of queued messages that wait for room under `whenFull: 'wait'`. */
  readonly waitingForRoom: number
  /** Approximate length of the queued messages in bytes, without messages that wait for room. */
  readonly bytes: number
  /** Age of the oldest queued message in milliseconds; 0 if there is none. */
  readonly oldestMs: number
  /**
   * Number of packets in flight (sent and not acknowledged), including packets of messages that timed out or
   * were aborted.
   */
  readonly inFlight: number
  /** Number of accepted messages. */
  readonly acknowledged: number
  /** Number of packets sent again after a lost connection or without a subscriber (`noSubscribers: 'wait'`). */
  readonly resent: number
  /** Number of messages rejected with `STREAM_TIMEOUT`. */
  readonly timedOut: number
  /** Number of messages that the broker rejected: `STREAM_REFUSED`, `STREAM_UNAVAILABLE`, `STREAM_SUSPECT`. */
  readonly refused: number
  /** Number of connections after the first one. */
  readonly reconnects: number
  /** Text of the last error that ended a connection or prevented a connection. */
  readonly lastError: string | undefined
  /** Times between sending a packet and its acknowledgement. */
  readonly acknowledge: LatencyStats
  /** Number and bytes of the messages in the store; absent without an outbox. */
  readonly stored?: { readonly messages: number; readonly bytes: number; readonly oldestAt?: number }
  /** Number of messages that an outbox has set aside. */
  readonly setAside?: number
  /** Number of stored messages that an outbox has found to be lost. */
  readonly damaged?: number
}

/** Statistics of a stream that has done nothing yet, or that provides no statistics. */
export const NO_STATS: StreamStats = Object.freeze({
  online: false,
  queued: 0,
  waitingForRoom: 0,
  bytes: 0,
  oldestMs: 0,
  inFlight: 0,
  acknowledged: 0,
  resent: 0,
  timedOut: 0,
  refused: 0,
  reconnects: 0,
  lastError: undefined,
  acknowledge: new Latency().stats(),
})
