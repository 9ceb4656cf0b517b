import { Chain } from './chain.js'
import type { Publication } from './queued-message.js'

/**
 * Which publication is sent next: the oldest, but those with little time left after the others, and suspects (see
 * `PoisonDetector`) when they have their turn.
 */
export class Schedule {
  readonly #publishTimeoutMs: number
  readonly #timely = new Chain<Publication>()
  readonly #late = new Chain<Publication>()
  readonly #held = new Chain<Publication>()

  constructor(publishTimeoutMs: number) {
    this.#publishTimeoutMs = publishTimeoutMs
  }

  add(publication: Publication): void {
    this.#timely.append(publication)
  }

  /** Takes back what was sent in vain; the last of several first. */
  putBack(publication: Publication): void {
    this.#timely.prepend(publication)
  }

  /** Keeps a suspect back until it has its turn. */
  hold(publication: Publication): void {
    this.remove(publication)
    this.#held.append(publication)
  }

  get isHolding(): boolean {
    return this.#held.size > 0
  }

  /** What was held back is like the others from now on. */
  release(): void {
    for (const publication of [...this.#held].reverse()) {
      publication.strikes = 0
      this.#held.remove(publication)
      this.putBack(publication)
    }
  }

  /**
   * Which one is next. It stays until it is removed.
   *
   * @param turn - when those are sent that are held back
   */
  next(
    now: number,
    leastLeftMs: number,
    turn: 'first' | 'last' | 'later' = 'later',
  ): Publication | undefined {
    const { first } = this.#held
    if (first && turn === 'first') return first
    return this.#other(now, leastLeftMs) ?? (turn === 'last' ? first : undefined)
  }

  #other(now: number, leastLeftMs: number): Publication | undefined {
    const newestLate = now - this.#publishTimeoutMs + leastLeftMs
    for (let first = this.#timely.first; first; first = this.#timely.first) {
      if (first.queued.acceptedAt >= newestLate) return first
      this.#timely.remove(first)
      this.#late.append(first)
    }
    return this.#late.first
  }

  /** Does nothing for one that does not wait. */
  remove(publication: Publication): void {
    if (!this.#timely.remove(publication) && !this.#late.remove(publication)) this.#held.remove(publication)
  }
}
