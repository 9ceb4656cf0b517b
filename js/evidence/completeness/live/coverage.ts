import type { UnlistedMessage } from './message-memory.js'

/** Largest number of remembered checkpoints by clocks that were ahead. */
const MAX_AHEAD = 16

/**
 * Messages of a signer that a checkpoint has passed: it was signed after them, so no later checkpoint must list them.
 * A checkpoint by a clock that was ahead passes only messages that arrived before it. Otherwise nothing would be due
 * for as long as the clock was ahead.
 */
export class Coverage {
  #lastMs = Number.NEGATIVE_INFINITY
  /** Checkpoints by clocks that were ahead: each arrived after the one before it, and was signed before that one. */
  readonly #ahead: { readonly ms: number; readonly receivedAt: number }[] = []

  /** @param ms - time at which a checkpoint was signed, in milliseconds since 1970 */
  add(ms: number, receivedAt: number, isAhead: boolean): void {
    while ((this.#ahead.at(-1)?.ms ?? Number.POSITIVE_INFINITY) <= ms) this.#ahead.pop()
    if (!isAhead) this.#lastMs = Math.max(this.#lastMs, ms)
    else if (this.#ahead.push({ ms, receivedAt }) > MAX_AHEAD) this.#ahead.shift()
  }

  covers({ ms, receivedAt }: UnlistedMessage): boolean {
    return ms <= this.#lastMs || this.#ahead.some((one) => ms <= one.ms && receivedAt <= one.receivedAt)
  }
}
