import { countBefore } from '../base/search.js'
import { msOf } from './times.js'

/** Checkpoints have whole milliseconds, and the clock of bundles is up to two of them away. */
export const CLOCK_MS = 3

/**
 * Messages in no list, of which each can lie in one gap of its key's logs (FORMAT.md, Checkpoints).
 *
 * Messages of gaps at one time are told apart by time alone. If the gap that ends first takes the first of them, as many as can be are
 * taken: what is left for the others is later, and fits them no less.
 */
export class GapFilling {
  readonly #times: ArrayLike<number>
  readonly #toleranceMs: number
  /** For each message, the first from there on that may not be taken. */
  readonly #next: Uint32Array

  /** @param times - of the messages, ascending, in milliseconds since 1970 */
  constructor(times: ArrayLike<number>, toleranceMs: number) {
    this.#times = times
    this.#toleranceMs = Math.max(CLOCK_MS, toleranceMs)
    this.#next = Uint32Array.from({ length: times.length + 1 }, (_, place) => place)
  }

  /**
   * Takes the messages that can lie in a gap, from the first. Gaps come in the order in which they end.
   *
   * @param most - how many the gap has room for
   * @returns which messages they are
   */
  *taken(gap: { readonly since: string; readonly until: string }, most: number): Generator<number, void> {
    const times = this.#times
    const [since, until] = [msOf(gap.since) - this.#toleranceMs, msOf(gap.until) + CLOCK_MS]
    let left = most
    let at = this.#firstLeft(countBefore(times.length, (place) => (times[place] as number) < since))
    for (; left > 0 && at < times.length && (times[at] as number) <= until; at = this.#firstLeft(at)) {
      this.#next[at] = at + 1
      left--
      yield at
    }
  }

  #firstLeft(place: number): number {
    const next = this.#next
    let at = place
    // Whoever comes this way later has half as far to go.
    for (let to = next[at] as number; to !== at; to = next[at] as number) {
      next[at] = next[to] as number
      at = next[at] as number
    }
    return at
  }
}

/** Times that are sorted in one step. */
const TOGETHER = 4096

/** Sorts times, in steps: there may be a million. */
export function* sorted(times: Float64Array): Generator<void, Float64Array> {
  for (let at = 0; at < times.length; at += TOGETHER) {
    times.subarray(at, at + TOGETHER).sort()
    yield
  }
  let [from, to]: [Float64Array, Float64Array] = [times, new Float64Array(times.length)]
  for (let width = TOGETHER; width < times.length; width *= 2) {
    for (let at = 0; at < times.length; at += 2 * width) {
      yield* merge(from.subarray(at, at + width), from.subarray(at + width, at + 2 * width), to.subarray(at))
    }
    ;[from, to] = [to, from]
  }
  return from
}

function* merge(one: Float64Array, other: Float64Array, to: Float64Array): Generator<void, void> {
  let [at, next] = [0, 0]
  while (at + next < one.length + other.length) {
    if ((at + next) % TOGETHER === 0) yield
    const isOne = next === other.length || (at < one.length && (one[at] as number) <= (other[next] as number))
    to[at + next] = (isOne ? one[at] : other[next]) as number
    if (isOne) at++
    else next++
  }
}
