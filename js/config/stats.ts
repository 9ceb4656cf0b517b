import type { LatencyStats } from '../base/time/latency.js'
import type { StreamStats } from '../streams/stats.js'

/** Figures of an SDK since it was opened. */
export interface SdkStats {
  /** Calls that wait for their annotators, and `createMany` until it is done. */
  readonly asking: number
  /** Messages that the stream has accepted; one for each call, or for each batch. */
  readonly accepted: number
  /** Messages that it has not. */
  readonly failed: number
  /** From a call's answers, or a whole batch, to its message: hashing and signing included. */
  readonly seal: LatencyStats
  /** From handing a message to the stream until it was accepted. */
  readonly accept: LatencyStats
  /** What the stream says of itself, if it says anything. */
  readonly stream: StreamStats | undefined
}
