import type { LatencyStats } from '../../foundation/base/time/latency.js'
import type { StreamStats } from '../../transport/streams/stats.js'

/** Statistics of an SDK since it was opened. */
export interface SdkStats {
  /**
   * Number of calls that wait for sources, inputs or annotators. A call of `createMany` counts until it is
   * done.
   */
  readonly asking: number
  /** Number of messages that the stream has accepted; one for each call, or for each batch. */
  readonly accepted: number
  /** Number of messages that the stream has rejected, or not accepted in time. */
  readonly failed: number
  /** Latency of signing: from the annotators' answers, or from a full batch, to the signed message. */
  readonly seal: LatencyStats
  /** Latency of the stream: from passing a message to the stream until the stream has accepted it. */
  readonly accept: LatencyStats
  /** Statistics that the stream itself provides, if any. */
  readonly stream: StreamStats | undefined
}
