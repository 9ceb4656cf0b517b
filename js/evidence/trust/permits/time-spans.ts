import { countBefore } from '../../../foundation/base/search.js'

/** Time span in whole milliseconds since 1970, both ends rounded down. */
export interface TimeSpan {
  readonly fromMs: number
  readonly untilMs: number
}

/** Index that finds the few spans, such as leases, that include a time. A key can have thousands in a year. */
export class TimeSpans<T extends TimeSpan> {
  /** Spans in the order of their beginnings, each with its place in the given order. */
  readonly #sorted: readonly { readonly one: T; readonly place: number }[]
  readonly #lastEnds: number[] = []

  /** @param tie - order of two spans that begin at the same time; default: the given order */
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
   * Returns the spans that include a time, in the given order.
   *
   * @param ms - time in milliseconds since 1970
   * @param maxCount - maximum number of spans to return. The spans that begin last are preferred
   */
  at(ms: number, maxCount = Number.POSITIVE_INFINITY): T[] {
    const hasBegun = (at: number) => (this.#sorted[at]?.one.fromMs as number) <= ms
    const found: { readonly one: T; readonly place: number }[] = []
    let at = countBefore(this.#sorted.length, hasBegun) - 1
    for (; at >= 0 && found.length < maxCount && (this.#lastEnds[at] as number) >= ms; at--) {
      const entry = this.#sorted[at] as (typeof found)[number]
      if (entry.one.untilMs >= ms) found.push(entry)
    }
    return found.sort((a, b) => a.place - b.place).map(({ one }) => one)
  }
}
