/** Calls on their way at the same time: each waits for the stream, and others can go out meanwhile. */
const OUTSTANDING = 256

/** Keeps some calls under way at a time, and takes their results in order: what is done has no gaps. */
export class CallWindow<Result> {
  readonly #most: number
  readonly #calls: Promise<Result>[] = []
  readonly #done: (result: Result) => void

  /**
   * @param done - is told what became of each call, in the order of the calls
   * @param batch - calls that wait for each other, to go under one signature
   */
  constructor(done: (result: Result) => void, batch = 1) {
    this.#done = done
    this.#most = Math.max(OUTSTANDING, 2 * batch)
  }

  /** @throws what an earlier call has failed with */
  async add(call: Promise<Result>): Promise<void> {
    // It is looked at when those before it are done.
    call.catch(() => {})
    this.#calls.push(call)
    if (this.#calls.length >= this.#most) await this.#next()
  }

  /** When all are done. @throws what a call has failed with */
  async drain(): Promise<void> {
    while (this.#calls.length > 0) await this.#next()
  }

  async #next(): Promise<void> {
    this.#done(await (this.#calls.shift() as Promise<Result>))
  }
}
