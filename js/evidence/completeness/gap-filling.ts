import { countBefore } from '../../foundation/base/search.js'
import { msOf } from './times.js'

/**
 * Maximum difference in milliseconds between the clocks of checkpoints and of bundles. The clocks differ by
 * up to two milliseconds, and the time of a checkpoint is in whole milliseconds.
 */
export const CLOCK_MS = 3

/**
 * Matches unlisted messages to gaps in the logs of their key (FORMAT.md, Checkpoints). Each message is matched
 * to at most one gap.
 *
 * A message may fit several gaps, if their time spans overlap. The gap that ends first gets the earliest messages,
 * so that as many messages as possible are matched: later messages fit the gaps that end later as well.
 */
export class GapFilling {
  readonly #times: ArrayLike<number>
  readonly #toleranceMs: number
  readonly #next: Uint32Array

  /** @param times - times of the messages, ascending, in milliseconds since 1970 */
  constructor(times: ArrayLike<number>, toleranceMs: number) {
    this.#times = times
    this.#toleranceMs = Math.max(CLOCK_MS, toleranceMs)
    this.#next = new Uint32Array(times.length + 1)
    for (let place = 0; place <= times.length; place++) this.#next[place] = place
  }

  /**
   * Matches unmatched messages to a gap, the earliest first. Call `take` for gaps in the order of their ends.
   *
   * @param count - number of messages in the gap
   * @returns the indexes of the matched messages
   */
  *take(gap: { readonly since: string; readonly until: string }, count: number): Generator<number, void> {
    const times = this.#times
    const [since, until] = [msOf(gap.since) - this.#toleranceMs, msOf(gap.until) + CLOCK_MS]
    let left = count
    let at = firstFree(
      this.#next,
      countBefore(times.length, (place) => (times[place] as number) < since),
    )
    for (; left > 0 && at < times.length && (times[at] as number) <= until; at = firstFree(this.#next, at)) {
      this.#next[at] = at + 1
      left--
      yield at
    }
  }
}

/**
 * Returns the first free place from `place` on.
 *
 * @param next - union-find structure: a free place has its own index, any other the index of a later place
 */
export function firstFree(next: { [place: number]: number }, place: number): number {
  let at = place
  // Halve the path, so that later calls take fewer steps. A place beyond the end of `next` is free.
  for (let to = next[at] ?? at; to !== at; to = next[at] ?? at) {
    next[at] = next[to] ?? to
    at = next[at] as number
  }
  return at
}
