import { Chain } from './chain.js'
import type { Parcel } from './letter.js'

/**
 * What waits to be sent: oldest first, but what has little time left lets the others go before it, and so does what a
 * connection was lost for.
 */
export class Waiting {
  readonly #publishTimeoutMs: number
  readonly #timely = new Chain<Parcel>()
  readonly #late = new Chain<Parcel>()
  readonly #held = new Chain<Parcel>()

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

  /** Keeps one that waits until it has its turn. */
  hold(parcel: Parcel): void {
    this.remove(parcel)
    this.#held.append(parcel)
  }

  get isHolding(): boolean {
    return this.#held.size > 0
  }

  /** Those that were held are like others from now on. */
  release(): void {
    for (const parcel of [...this.#held].reverse()) {
      parcel.strikes = 0
      this.#held.remove(parcel)
      this.putBack(parcel)
    }
  }

  /**
   * Which one is next. It stays until it is removed.
   *
   * @param turn - when those go that are held
   */
  next(now: number, leastLeftMs: number, turn: 'first' | 'last' | 'later' = 'later'): Parcel | undefined {
    const { first } = this.#held
    if (first && turn === 'first') return first
    return this.#other(now, leastLeftMs) ?? (turn === 'last' ? first : undefined)
  }

  #other(now: number, leastLeftMs: number): Parcel | undefined {
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
    if (!this.#timely.remove(parcel) && !this.#late.remove(parcel)) this.#held.remove(parcel)
  }
}
