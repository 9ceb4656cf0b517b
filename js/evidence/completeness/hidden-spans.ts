import { countBefore } from '../../foundation/base/search.js'
import { msOf } from './times.js'

interface KnownPart {
  readonly begin: { readonly size: number; readonly at: string }
  /** True if the gaps in the log include the lost beginning of the run. */
  readonly isAfterGap: boolean
  readonly last: { readonly at: string; readonly isLast: boolean }
  /** Time at which the next run began, if that run names this run as its predecessor. */
  readonly nextBeganAt?: string | undefined
}

/** Start and end of a time span, as timestamps. An undefined start or end has no bound. */
export type TimeSpan = readonly [since: string | undefined, until: string | undefined]

/** Yields the time spans in which there may be messages that no known checkpoint lists. */
export function* hiddenSpans(
  runs: readonly KnownPart[],
  gaps: readonly { readonly since: string; readonly until: string }[],
): Generator<TimeSpan, void> {
  let [first, end]: TimeSpan = [undefined, undefined]
  for (const { begin, isAfterGap, last, nextBeganAt } of runs) {
    if (first === undefined || begin.at < first) first = begin.at
    if (end === undefined || last.at > end) end = last.at
    if (begin.size > 0 && !isAfterGap) yield [undefined, begin.at]
    if (!last.isLast) yield [last.at, nextBeganAt]
  }
  yield [undefined, first]
  yield [end, undefined]
  for (const { since, until } of gaps) yield [since, until]
}

/**
 * Returns a function that tells whether a time in milliseconds lies in a span, or at most `slackMs` from one.
 * Yields between steps, because there may be very many spans.
 */
export function* testWithin(
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
  const merged: [since: number, until: number][] = []
  for (const [since, until] of times.sort(([one], [other]) => (one < other ? -1 : 1))) {
    const before = merged.at(-1)
    if (before && since <= before[1]) before[1] = Math.max(before[1], until)
    else merged.push([since, until])
  }
  return (ms) => {
    // Use binary search, because a signer that has started ten thousand times has ten thousand spans.
    const begun = countBefore(merged.length, (at) => (merged[at]?.[0] as number) <= ms)
    return ms <= (merged[begun - 1]?.[1] ?? Number.NEGATIVE_INFINITY)
  }
}
