const BITS = 65_536

/** Whole numbers from 0 on, as bits: those of ten million rows take 1.25 MB. */
export class IdSet {
  /** Few and far between, where somebody has altered numbers. */
  readonly #pages = new Map<number, Uint8Array>()

  add(id: number): void {
    const number = Math.floor(id / BITS)
    const page = this.#pages.get(number) ?? new Uint8Array(BITS / 8)
    this.#pages.set(number, page)
    const at = id - number * BITS
    page[at >> 3] = (page[at >> 3] as number) | (1 << (at & 7))
  }

  has(id: number): boolean {
    const number = Math.floor(id / BITS)
    const at = id - number * BITS
    return (((this.#pages.get(number)?.[at >> 3] ?? 0) >> (at & 7)) & 1) === 1
  }
}
