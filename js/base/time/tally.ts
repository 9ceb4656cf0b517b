/** Counts what is under way, and tells when nothing is. */
export class Tally {
  #count = 0
  #whenNone: (() => void)[] = []

  /** How many are under way. */
  get count(): number {
    return this.#count
  }

  begin(): void {
    this.#count++
  }

  /** @param count - how many have ended */
  end(count = 1): void {
    this.#count -= count
    if (this.#count > 0 || this.#whenNone.length === 0) return
    for (const resolve of this.#whenNone.splice(0)) resolve()
  }

  /** Resolves when nothing is under way. */
  none(): Promise<void> {
    if (this.#count === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenNone.push(resolve))
  }
}
