/** Statistics of the durations of all calls. Percentiles are up to one fifth too high. */
export interface LatencyStats {
  /** Number of calls. */
  readonly count: number
  /** Sum of all durations, in milliseconds. */
  readonly sumMs: number
  /** Median duration in milliseconds; 0 before the first call. */
  readonly p50Ms: number
  /** Percentile 99 in milliseconds: 99 of 100 calls took no longer. */
  readonly p99Ms: number
  /** Longest duration in milliseconds. */
  readonly maxMs: number
}

const STEPS_PER_DOUBLING = 4
/** Upper bound of the histogram's first bucket, in milliseconds: a sixteenth of a microsecond. */
const MIN_MS = 2 ** -14
const BUCKETS = 44 * STEPS_PER_DOUBLING

/** Collector of durations that needs constant memory. */
export class Latency {
  readonly #buckets = new Float64Array(BUCKETS)
  #count = 0
  #sumMs = 0
  #maxMs = 0

  record(milliseconds: number): void {
    const step = Math.ceil(Math.log2(Math.max(milliseconds, MIN_MS) / MIN_MS) * STEPS_PER_DOUBLING)
    const bucket = Math.min(step, BUCKETS - 1)
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1
    this.#count++
    this.#sumMs += milliseconds
    if (milliseconds > this.#maxMs) this.#maxMs = milliseconds
  }

  stats(): LatencyStats {
    return Object.freeze({
      count: this.#count,
      sumMs: this.#sumMs,
      p50Ms: this.#percentile(0.5),
      p99Ms: this.#percentile(0.99),
      maxMs: this.#maxMs,
    })
  }

  #percentile(share: number): number {
    if (this.#count === 0) return 0
    let left = this.#count * share
    const bucket = this.#buckets.findIndex((count) => {
      left -= count
      return left <= 0
    })
    return Math.min(this.#maxMs, MIN_MS * 2 ** (bucket / STEPS_PER_DOUBLING))
  }
}
