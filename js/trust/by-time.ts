import { countBefore } from '../base/search.js'

/** From when until when, in whole milliseconds since 1970, both rounded down. */
export interface Spanned {
  readonly fromMs: number
  readonly untilMs: number
}

/** Finds the few of many that hold at a given moment: an archive of one year has thousands of leases of one key. */
export class ByTime<T extends Spanned> {
  /** In the order in which they begin, each with its place among those that were given. */
  readonly #sorted: readonly { readonly one: T; readonly place: number }[]
  /** For each place: when the last of those up to it ends. */
  readonly #lastEnds: number[] = []

  /** @param tie - the order of two that begin at the same moment; without it, that in which they were given */
  constructor(all: readonly T[], tie: (one: T, other: T) => number = () => 0) {
    this.#sorted = all
      .map((one, place) => ({ one, place }))
      .sort((a, b) => a.one.fromMs - b.one.fromMs || tie(a.one, b.one) || a.place - b.place)
    let last = Number.NEGATIVE_INFINITY
    for (const { one } of this.#sorted) {
      last = Math.max(last, one.untilMs)
      this.#lastEnds.push(last)
    }
  }

  /**
   * Returns the spans that hold then, in the order in which they were given.
   *
   * @param most - limit of their number: the ones that begin last
   */
  at(ms: number, most = Number.POSITIVE_INFINITY): T[] {
    const hasBegun = (at: number) => (this.#sorted[at]?.one.fromMs as number) <= ms
    const found: { readonly one: T; readonly place: number }[] = []
    let at = countBefore(this.#sorted.length, hasBegun) - 1
    for (; at >= 0 && found.length < most && (this.#lastEnds[at] as number) >= ms; at--) {
      const entry = this.#sorted[at] as (typeof found)[number]
      if (entry.one.untilMs >= ms) found.push(entry)
    }
    return found.sort((a, b) => a.place - b.place).map(({ one }) => one)
  }
}
