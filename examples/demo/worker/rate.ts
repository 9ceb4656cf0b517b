/** Counter of the events in the last second. */
export class Rate {
  /** Counts of the last second, one for each tenth. */
  readonly #buckets = new Array<number>(10).fill(0)
  #tenth = 0

  count(): void {
    this.#advance()
    const at = this.#tenth % 10
    this.#buckets[at] = (this.#buckets[at] ?? 0) + 1
  }

  perSecond(): number {
    this.#advance()
    return this.#buckets.reduce((sum, count) => sum + count, 0)
  }

  #advance(): void {
    const now = Math.floor(performance.now() / 100)
    const passed = Math.min(now - this.#tenth, 10)
    for (let n = 1; n <= passed; n++) this.#buckets[(this.#tenth + n) % 10] = 0
    if (passed === 10) this.#buckets.fill(0)
    this.#tenth = now
  }
}
