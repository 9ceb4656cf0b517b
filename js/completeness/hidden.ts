import { countBefore } from '../base/search.js'
import { msOf } from './times.js'

/** What is known of a run: where that begins and ends. */
interface KnownPart {
  readonly begin: { readonly size: number; readonly at: string }
  /** True if its lost beginning is one of the gaps, whose time is known. */
  readonly isAfterGap: boolean
  readonly last: { readonly at: string; readonly isLast: boolean }
  /** When the next run began, where that one says that this one is over. */
  readonly overAt?: string | undefined
}

/** From when to when; without a value, from the beginning or to the end. */
export type TimeSpan = readonly [since: string | undefined, until: string | undefined]

/** The times in which there may be messages that no list has. */
export function* hiddenSpans(
  runs: readonly KnownPart[],
  gaps: readonly { readonly since: string; readonly until: string }[],
): Generator<TimeSpan, void> {
  let [first, end]: TimeSpan = [undefined, undefined]
  for (const { begin, isAfterGap, last, overAt } of runs) {
    if (first === undefined || begin.at < first) first = begin.at
    if (end === undefined || last.at > end) end = last.at
    if (begin.size > 0 && !isAfterGap) yield [undefined, begin.at]
    if (!last.isLast) yield [last.at, overAt]
  }
  yield [undefined, first]
  yield [end, undefined]
  for (const { since, until } of gaps) yield [since, until]
}

/** Whether a time lies in one of some spans, or at most so many milliseconds beside it. In steps, as there may be very many. */
export function* isWithin(
  spans: Iterable<TimeSpan>,
  slackMs: number,
): Generator<void, (ms: number) => boolean> {
  const times: [since: number, until: number][] = []
  for (const [since, until] of spans) {
    yield
    times.push([
      since === undefined ? Number.NEGATIVE_INFINITY : msOf(since) - slackMs,
      until === undefined ? Number.POSITIVE_INFINITY : msOf(until) + slackMs,
    ])
  }
  const apart: [since: number, until: number][] = []
  for (const [since, until] of times.sort(([one], [other]) => (one < other ? -1 : 1))) {
    const before = apart.at(-1)
    if (before && since <= before[1]) before[1] = Math.max(before[1], until)
    else apart.push([since, until])
  }
  return (ms) => {
    // A signer that has started ten thousand times has as many spans.
    const begun = countBefore(apart.length, (at) => (apart[at]?.[0] as number) <= ms)
    return ms <= (apart[begun - 1]?.[1] ?? Number.NEGATIVE_INFINITY)
  }
}
