import { Chain } from './chain.js'
import type { Parcel } from './letter.js'

/** What waits to be sent: oldest first, but what has little time left lets the others go before it. */
export class Waiting {
  readonly #publishTimeoutMs: number
  readonly #timely = new Chain<Parcel>()
  readonly #late = new Chain<Parcel>()

  constructor(publishTimeoutMs: number) {
    this.#publishTimeoutMs = publishTimeoutMs
  }

  add(parcel: Parcel): void {
    this.#timely.append(parcel)
  }

  /** Takes back what was sent in vain; the last of several first. */
  putBack(parcel: Parcel): void {
    this.#timely.prepend(parcel)
  }

  /** Which one is next. It stays until it is removed. */
  next(now: number, leastLeftMs: number): Parcel | undefined {
    const newestLate = now - this.#publishTimeoutMs + leastLeftMs
    for (let first = this.#timely.first; first; first = this.#timely.first) {
      if (first.letter.acceptedAt >= newestLate) return first
      this.#timely.remove(first)
      this.#late.append(first)
    }
    return this.#late.first
  }

  /** Does nothing for one that does not wait. */
  remove(parcel: Parcel): void {
    if (!this.#timely.remove(parcel)) this.#late.remove(parcel)
  }
}
