import { bitAt, setBit } from '../rows/columns.js'

const BITS = 65_536

/** Set of whole numbers from 0, as bits. Ten million consecutive numbers take 1.25 MB. */
export class IdSet {
  /** Bit pages by page number. Only used pages exist, because altered numbers can be far apart. */
  readonly #pages = new Map<number, Uint8Array>()

  add(id: number): void {
    const number = Math.floor(id / BITS)
    const page = this.#pages.get(number) ?? new Uint8Array(BITS / 8)
    this.#pages.set(number, page)
    setBit(page, id - number * BITS)
  }

  has(id: number): boolean {
    const number = Math.floor(id / BITS)
    const page = this.#pages.get(number)
    return page !== undefined && bitAt(page, id - number * BITS)
  }
}
