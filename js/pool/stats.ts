/** How a pool is, for health checks and metrics. */
export interface PoolStats {
  /** Workers that can take calls. */
  readonly workers: number
  /** Workers that are starting. */
  readonly starting: number
  /** Attempts in a row to start a worker that have failed; 0 when the last one went well. */
  readonly failedStarts: number
  /** Milliseconds until the next attempt; undefined unless one is waited for. */
  readonly nextStartMs: number | undefined
  /** Calls that are in the pool and have not settled. */
  readonly queued: number
  /** Bytes of theirs. */
  readonly queuedBytes: number
}
