/** How long something took, over all times that it was done: percentiles are right to a fifth. */
export interface LatencyStats {
  /** How often. */
  readonly count: number
  /** Milliseconds, all together. */
  readonly sumMs: number
  /** Half took no longer, in milliseconds; 0 when there was nothing yet. */
  readonly p50Ms: number
  /** Ninety-nine of a hundred took no longer, in milliseconds. */
  readonly p99Ms: number
  /** The longest, in milliseconds. */
  readonly maxMs: number
}

const STEPS_PER_DOUBLING = 4
/** A sixteenth of a microsecond: what is quicker counts as that. */
const SHORTEST_MS = 2 ** -14
const BUCKETS = 44 * STEPS_PER_DOUBLING

/** Collects how long something takes, in memory that does not grow. */
export class Latency {
  readonly #buckets = new Float64Array(BUCKETS)
  #count = 0
  #sumMs = 0
  #maxMs = 0

  record(milliseconds: number): void {
    const step = Math.ceil(Math.log2(Math.max(milliseconds, SHORTEST_MS) / SHORTEST_MS) * STEPS_PER_DOUBLING)
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
    return Math.min(this.#maxMs, SHORTEST_MS * 2 ** (bucket / STEPS_PER_DOUBLING))
  }
}
