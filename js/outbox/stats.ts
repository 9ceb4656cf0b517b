import type { LatencyStats } from '../base/latency.js'
import type { StreamStats } from '../streams/stats.js'
import type { StreamProvider } from '../streams/stream.js'

/** What waits in an {@link Outbox}. */
export interface Stored {
  readonly messages: number
  /** What they take in the store. */
  readonly bytes: number
  /** When the oldest of them was stored, in milliseconds since 1970; absent while nothing waits, or has been read. */
  readonly oldestAt?: number
}

/** What an {@link Outbox} has done so far and what it holds, beside what its stream says of itself. */
export interface OutboxStats extends StreamStats {
  /** What waits to be delivered. */
  readonly stored: Stored
  /** Messages that are set aside, of this process or an earlier one. */
  readonly setAside: number
  /** Messages that were found to be gone since the store was opened. */
  readonly damaged: number
}

const NEVER: LatencyStats = { count: 0, sumMs: 0, p50Ms: 0, p99Ms: 0, maxMs: 0 }
/** Of a stream that says nothing of itself. */
const SILENT = {
  ...{ online: false, queued: 0, waitingForRoom: 0, bytes: 0, oldestMs: 0, inFlight: 0, acknowledged: 0 },
  ...{ resent: 0, timedOut: 0, refused: 0, reconnects: 0, lastError: undefined, acknowledge: NEVER },
} satisfies StreamStats

/** What the stream says of itself, what the outbox knows of it otherwise, and what the outbox holds. */
export function statsOf(
  stream: StreamProvider,
  own: Pick<OutboxStats, 'online' | 'queued' | 'acknowledged' | 'stored' | 'setAside' | 'damaged'>,
): OutboxStats {
  const { stored, setAside, damaged } = own
  return Object.freeze({ ...SILENT, ...own, ...stream.stats?.(), stored, setAside, damaged })
}
