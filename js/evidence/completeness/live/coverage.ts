import type { UnlistedMessage } from './message-memory.js'

const MAX_AHEAD = 16

/**
 * Tells which messages a checkpoint covers: those signed before it, which later checkpoints need not list. If
 * the signer's clock was ahead, the checkpoint covers only messages that arrived before it. Otherwise,
 * messages signed after the checkpoint would count as covered until the true time reaches the time of the
 * checkpoint.
 */
export class Coverage {
  #lastMs = Number.NEGATIVE_INFINITY
  /** Checkpoints signed with a clock that was ahead, in the order of arrival. Their times of signature descend. */
  readonly #ahead: { readonly ms: number; readonly receivedAt: number }[] = []

  add(ms: number, receivedAt: number, isAhead: boolean): void {
    while ((this.#ahead.at(-1)?.ms ?? Number.POSITIVE_INFINITY) <= ms) this.#ahead.pop()
    if (!isAhead) this.#lastMs = Math.max(this.#lastMs, ms)
    else if (this.#ahead.push({ ms, receivedAt }) > MAX_AHEAD) this.#ahead.shift()
  }

  covers({ ms, receivedAt }: UnlistedMessage): boolean {
    return ms <= this.#lastMs || this.#ahead.some((one) => ms <= one.ms && receivedAt <= one.receivedAt)
  }
}
