import { countBefore } from '../../foundation/base/search.js'
import { msOf } from './times.js'

/**
 * Largest difference in milliseconds between a checkpoint's time, in whole milliseconds, and the clock of bundles,
 * which differs by up to two.
 */
export const CLOCK_MS = 3

/**
 * Messages in no list, matched to gaps in the logs of their key; each message can lie in one gap (FORMAT.md,
 * Checkpoints).
 *
 * Only their times separate messages of gaps that overlap. Most messages are matched if the gap that ends first takes
 * the earliest ones: the later messages fit the other gaps as well.
 */
export class GapFilling {
  readonly #times: ArrayLike<number>
  readonly #toleranceMs: number
  /** Place of the next message that may be free, for each place: a union-find structure. */
  readonly #next: Uint32Array

  /** @param times - times of the messages, ascending, in milliseconds since 1970 */
  constructor(times: ArrayLike<number>, toleranceMs: number) {
    this.#times = times
    this.#toleranceMs = Math.max(CLOCK_MS, toleranceMs)
    this.#next = new Uint32Array(times.length + 1)
    for (let place = 0; place <= times.length; place++) this.#next[place] = place
  }

  /**
   * Takes the messages that can lie in a gap, the earliest first. Call it for gaps in the order of their ends.
   *
   * @param count - number of messages in the gap
   * @returns the places of the messages
   */
  *take(gap: { readonly since: string; readonly until: string }, count: number): Generator<number, void> {
    const times = this.#times
    const [since, until] = [msOf(gap.since) - this.#toleranceMs, msOf(gap.until) + CLOCK_MS]
    let left = count
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
    // Path halving: later calls take shorter paths.
    for (let to = next[at] as number; to !== at; to = next[at] as number) {
      next[at] = next[to] as number
      at = next[at] as number
    }
    return at
  }
}
