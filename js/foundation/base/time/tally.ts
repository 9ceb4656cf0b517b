/** Counter of work in progress, which resolves promises when it reaches 0. */
export class Tally {
  #count = 0
  #whenNone: (() => void)[] = []

  get count(): number {
    return this.#count
  }

  begin(): void {
    this.#count++
  }

  end(count = 1): void {
    this.#count -= count
    if (this.#count > 0 || this.#whenNone.length === 0) return
    for (const resolve of this.#whenNone.splice(0)) resolve()
  }

  none(): Promise<void> {
    if (this.#count === 0) return Promise.resolve()
    return new Promise((resolve) => this.#whenNone.push(resolve))
  }
}
