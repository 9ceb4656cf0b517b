/** Smallest change in milliseconds that counts as a jump of the wall clock. */
const JUMP_MS = 2000

/**
 * Wall-clock times without jumps: nothing waits while a clock is set or a machine sleeps. Use these times for
 * durations, not for dates.
 */
export class SteadyClock {
  #offset = offsetNow()
  #jumps = 0

  /** @param wallMs - a present or recent time of `Date.now()` */
  of(wallMs: number): number {
    const offset = offsetNow()
    const moved = offset - this.#offset
    // A clock that is slowed down or sped up does not jump.
    this.#offset = offset
    if (Math.abs(moved) >= JUMP_MS) this.#jumps += moved
    return wallMs - Math.round(this.#jumps)
  }
}

function offsetNow(): number {
  return Date.now() - performance.now()
}
