import type { UnlistedMessage } from './message-memory.js'

/** Maximum number of remembered checkpoints with a time of signature in the future. */
const MAX_AHEAD = 16

/**
 * Messages of a signer that a checkpoint covers: the checkpoint was signed after them, so later checkpoints
 * need not list them. A checkpoint signed with a clock that was ahead covers only messages that arrived before the
 * checkpoint. Otherwise, it would also cover messages that are signed later, until the true time reaches that of the
 * checkpoint.
 */
export class Coverage {
  #lastMs = Number.NEGATIVE_INFINITY
  /** Checkpoints signed with a clock that was ahead, in the order of arrival. Their times of signature descend. */
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
