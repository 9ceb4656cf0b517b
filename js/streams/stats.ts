import { Latency, type LatencyStats } from '../base/time/latency.js'

/** Figures of a stream since it was opened, and of what it holds now. */
export interface StreamStats {
  /** Whether there is a connection now. */
  readonly online: boolean
  /** Messages that were published and have not settled. */
  readonly queued: number
  /** Those of them that wait for room, with `whenFull: 'wait'`. */
  readonly waitingForRoom: number
  /** Bytes that wait for the broker. */
  readonly bytes: number
  /** How long the oldest message has been waiting, in milliseconds; 0 when none does. */
  readonly oldestMs: number
  /** Packets in flight: sent and not acknowledged, including those that were given up. */
  readonly inFlight: number
  /** Messages that were accepted. */
  readonly acknowledged: number
  /** Packets that were sent once more, after a lost connection, or as nobody subscribed (`whenUnheard: 'wait'`). */
  readonly resent: number
  /** Messages that were given up with `STREAM_TIMEOUT`. */
  readonly timedOut: number
  /** Messages that the broker did not take: `STREAM_REFUSED`, `STREAM_UNAVAILABLE`, `STREAM_SUSPECT`. */
  readonly refused: number
  /** Times that the connection came back. */
  readonly reconnects: number
  /** Why the connection was last lost, or not to be had, in words. */
  readonly lastError: string | undefined
  /** From sending a packet to its acknowledgement. */
  readonly acknowledge: LatencyStats
  /** Of an outbox: what waits in its store. */
  readonly stored?: { readonly messages: number; readonly bytes: number; readonly oldestAt?: number }
  /** Of an outbox: messages that are set aside. */
  readonly setAside?: number
  /** Of an outbox: stored messages that were found to be lost. */
  readonly damaged?: number
}

/** Of a stream that has done nothing so far, or says nothing of itself. */
export const NOTHING_YET: StreamStats = Object.freeze({
  ...{ online: false, queued: 0, waitingForRoom: 0, bytes: 0, oldestMs: 0, inFlight: 0 },
  ...{ acknowledged: 0, resent: 0, timedOut: 0, refused: 0, reconnects: 0, lastError: undefined },
  acknowledge: new Latency().stats(),
})
