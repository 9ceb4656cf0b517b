import { countBefore } from '../base/search.js'
import { msOf } from './times.js'

/** Checkpoints have whole milliseconds, and the clock of bundles is up to two of them away. */
export const CLOCK_MS = 3

/**
 * Messages in no list, of which each can lie in one gap of its key's logs (FORMAT.md, Checkpoints).
 *
 * Only time separates messages of gaps at one time. If the gap that ends first takes the earliest of them, most are taken: the later ones
 * fit the other gaps no less.
 */
export class GapFilling {
  readonly #times: ArrayLike<number>
  readonly #toleranceMs: number
  /** Place of the first message that may be free, from each place on. */
  readonly #next: Uint32Array

  /** @param times - of the messages, ascending, in milliseconds since 1970 */
  constructor(times: ArrayLike<number>, toleranceMs: number) {
    this.#times = times
    this.#toleranceMs = Math.max(CLOCK_MS, toleranceMs)
    this.#next = new Uint32Array(times.length + 1)
    for (let place = 0; place <= times.length; place++) this.#next[place] = place
  }

  /**
   * Takes the messages that can lie in a gap, from the earliest. Gaps come in the order in which they end.
   *
   * @param most - number of messages that the gap has
   * @returns the places of the messages
   */
  *take(gap: { readonly since: string; readonly until: string }, most: number): Generator<number, void> {
    const times = this.#times
    const [since, until] = [msOf(gap.since) - this.#toleranceMs, msOf(gap.until) + CLOCK_MS]
    let left = most
    let at = this.#firstFree(countBefore(times.length, (place) => (times[place] as number) < since))
    for (; left > 0 && at < times.length && (times[at] as number) <= until; at = this.#firstFree(at)) {
      this.#next[at] = at + 1
      left--
      yield at
    }
  }

  #firstFree(place: number): number {
    const next = this.#next
    let at = place
    // Halve the path for later calls.
    for (let to = next[at] as number; to !== at; to = next[at] as number) {
      next[at] = next[to] as number
      at = next[at] as number
    }
    return at
  }
}
