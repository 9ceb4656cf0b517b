/** Minimum size of the window in calls: calls start while earlier ones are sent. Large batches need more. */
const MIN_CALLS = 256
/** Maximum size of the window in payload bytes. Files are read faster than annotated, and would fill memory. */
const MAX_BYTES = 128 * 1024 * 1024

interface Call<Result> {
  readonly result: Promise<Result>
  readonly bytes: number
  readonly done: (result: Result) => void
}

/** Window of calls in progress. Delivers results in the order of the calls. */
export class CallWindow<Result> {
  readonly #maxCalls: number
  readonly #calls: (Call<Result> | undefined)[] = []
  /** Index of the oldest call. `shift()` would move all later calls: 100 µs for a batch of 65,536. */
  #first = 0
  #bytes = 0

  /** @param batch - number of calls that complete together because they share a batch */
  constructor(batch = 1) {
    this.#maxCalls = Math.max(MIN_CALLS, 2 * batch)
  }

  /**
   * Adds a call and waits while the window is full.
   *
   * @param bytes - size of the payload
   * @param done - called with the result, in the order of the calls
   */
  async add(result: Promise<Result>, bytes: number, done: (result: Result) => void): Promise<void> {
    // Mark the rejection as handled: `#next` rethrows the error after the results of earlier calls.
    result.catch(() => {})
    this.#calls.push({ result, bytes, done })
    this.#bytes += bytes
    while (this.#size >= this.#maxCalls || this.#bytes > MAX_BYTES) await this.#next()
  }

  async drain(): Promise<void> {
    while (this.#size > 0) await this.#next()
  }

  get #size(): number {
    return this.#calls.length - this.#first
  }

  async #next(): Promise<void> {
    const { result, bytes, done } = this.#calls[this.#first] as Call<Result>
    this.#calls[this.#first++] = undefined
    if (this.#first === this.#maxCalls) {
      this.#calls.splice(0, this.#maxCalls)
      this.#first = 0
    }
    this.#bytes -= bytes
    done(await result)
  }
}
