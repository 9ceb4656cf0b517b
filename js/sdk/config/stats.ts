import type { LatencyStats } from '../../foundation/base/time/latency.js'
import type { StreamStats } from '../../transport/streams/stats.js'

/** Figures of an SDK since it was opened. */
export interface SdkStats {
  /** Number of calls that wait for their annotators, and `createMany` until it is done. */
  readonly asking: number
  /** Number of messages that the stream has accepted; one for each call, or for each batch. */
  readonly accepted: number
  /** Number of messages that the stream has not accepted. */
  readonly failed: number
  /** Latency from a call's answers, or a whole batch, to its message, including hashing and signing. */
  readonly seal: LatencyStats
  /** Latency from handing a message to the stream until it was accepted. */
  readonly accept: LatencyStats
  /** Figures of the stream itself, if it provides any. */
  readonly stream: StreamStats | undefined
}
