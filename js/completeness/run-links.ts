import { lostBeginning } from './continuity.js'
import type { Gap } from './report.js'
import type { RunMoment } from './run-moment.js'

/** The runs of a key at one moment, by their ids. */
export type RunMoments = ReadonlyMap<string, RunMoment>

/** What runs of a key tell of the runs that they name as those before them. */
export interface RunLinks {
  /** Ends of runs that only the next one tells of. */
  readonly ends: readonly Gap[]
  /** By run: its lost beginning, behind a run that is known. */
  readonly beginnings: ReadonlyMap<string, Gap>
  /** By run: sizes at which next runs tell of another log. */
  readonly forks: ReadonlyMap<string, ReadonlySet<number>>
  /** By run: when the next one began. */
  readonly overAt: ReadonlyMap<string, string>
}

/** In steps, as there may be very many runs. */
export function* linksOf(runs: RunMoments): Generator<void, RunLinks> {
  const [ends, beginnings] = [new Map<string, Gap>(), new Map<string, Gap>()]
  const forks = new Map<string, Set<number>>()
  const overAt = new Map<string, string>()
  const roots = new Map<string, string>()
  for (const [id, run] of runs) {
    yield
    const { after, from } = run.first
    const before = after && runs.get(after.run)
    if (!before) continue
    const place = `${after.run} ${after.size}`
    const root = roots.get(place) ?? after.root
    roots.set(place, root)
    if (root !== after.root || before.contradicts(after)) {
      forks.set(after.run, (forks.get(after.run) ?? new Set()).add(after.size))
    }
    const { last } = before
    const known = overAt.get(after.run)
    overAt.set(after.run, known !== undefined && known < from.at ? known : from.at)
    const isLonger = after.size > Math.max(last.size, (ends.get(after.run)?.last ?? -1) + 1)
    if (isLonger) ends.set(after.run, before.gap(last, { size: after.size, at: from.at }))
    const lost = lostBeginning(from, { at: last.at, isJudged: true })
    if (lost) beginnings.set(id, run.gap({ size: lost.first, at: lost.since }, from))
  }
  return { ends: [...ends.values()], beginnings, forks, overAt }
}
