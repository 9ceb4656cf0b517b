/** Tells those who wait that something has changed, once. */
export class Change {
  #next: Promise<void> | undefined
  #tell = () => {}

  /** Resolves with the next change. The same for all who ask before it. */
  get next(): Promise<void> {
    this.#next ??= new Promise((resolve) => {
      this.#tell = resolve
    })
    return this.#next
  }

  tell(): void {
    if (!this.#next) return
    this.#next = undefined
    this.#tell()
  }
}
