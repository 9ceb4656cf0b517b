/** Counts what is under way, and tells when nothing is. */
export class Tally {
  #count = 0
  #whenNone: (() => void)[] = []

  begin(): void {
    this.#count++
  }

  end(): void {
    this.#count--
    if (this.#count > 0) return
    for (const resolve of this.#whenNone.splice(0)) resolve()
  }

  /** Resolves when nothing is under way. */
  none(): Promise<void> {
    if (this.#count === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenNone.push(resolve))
  }
}
