import type { UnlistedMessage } from './remembered.js'

/** Checkpoints of clocks that were ahead which are remembered. */
const MOST_AHEAD = 16

/**
 * Which messages of a signer a checkpoint has passed: it was signed after them, so none that comes later has to list them. One that was signed
 * later than it came, by a clock that was ahead, has passed only what came before it: otherwise, nothing would be due for as long.
 */
export class Passed {
  #lastMs = Number.NEGATIVE_INFINITY
  /** Of clocks that were ahead: each came after the one before it, and was signed before that. */
  readonly #ahead: { readonly ms: number; readonly receivedAt: number }[] = []

  /** @param ms - when a checkpoint was signed, in milliseconds since 1970 */
  add(ms: number, receivedAt: number, isAhead: boolean): void {
    while ((this.#ahead.at(-1)?.ms ?? Number.POSITIVE_INFINITY) <= ms) this.#ahead.pop()
    if (!isAhead) this.#lastMs = Math.max(this.#lastMs, ms)
    else if (this.#ahead.push({ ms, receivedAt }) > MOST_AHEAD) this.#ahead.shift()
  }

  has({ ms, receivedAt }: UnlistedMessage): boolean {
    return ms <= this.#lastMs || this.#ahead.some((one) => ms <= one.ms && receivedAt <= one.receivedAt)
  }
}
