/** What a clock that is corrected moves at once, at least, in milliseconds. */
const JUMP_MS = 2000

/**
 * Times of the wall clock without its jumps: a clock that was set, or a machine that slept, has not waited for anything. How long
 * something was due can be told by these, and not when it was.
 */
export class SteadyClock {
  #offset = offsetNow()
  #jumps = 0

  /** @param wallMs - a time of `Date.now()`, from now or from a moment ago */
  of(wallMs: number): number {
    const offset = offsetNow()
    const moved = offset - this.#offset
    // What a clock is slowed down or sped up by is no jump.
    this.#offset = offset
    if (Math.abs(moved) >= JUMP_MS) this.#jumps += moved
    return wallMs - Math.round(this.#jumps)
  }
}

function offsetNow(): number {
  return Date.now() - performance.now()
}
