import { lostBeginning } from './continuity.js'
import type { RunSnapshot } from './known-run.js'
import type { Gap } from './report.js'

/** Runs of a key in one snapshot, by their ids. */
export type RunSnapshots = ReadonlyMap<string, RunSnapshot>

/** Statements of a key's runs about the runs before them. */
export interface RunLinks {
  /** Ends of runs that only the next run states. */
  readonly ends: readonly Gap[]
  /** Lost beginnings after a known run, by run. */
  readonly beginnings: ReadonlyMap<string, Gap>
  /** Sizes at which later runs state another log, by run. */
  readonly forks: ReadonlyMap<string, ReadonlySet<number>>
  /** Time at which the next run began, by run. */
  readonly nextBeganAt: ReadonlyMap<string, string>
  /** Runs between known ones that a later run names, without a known checkpoint. */
  readonly hiddenRuns: readonly Gap[]
}

/** Compares runs with the runs that they name. Runs in steps, because there may be very many. */
export function* linksOf(runs: RunSnapshots): Generator<void, RunLinks> {
  const [ends, beginnings] = [new Map<string, Gap>(), new Map<string, Gap>()]
  const forks = new Map<string, Set<number>>()
  const nextBeganAt = new Map<string, string>()
  const roots = new Map<string, string>()
  const hidden = new HiddenRuns()
  for (const [id, run] of runs) {
    yield
    const { after, from } = run.first
    const before = after && runs.get(after.run)
    hidden.add(run, before)
    if (!before) continue
    const place = `${after.run} ${after.size}`
    const root = roots.get(place) ?? after.root
    roots.set(place, root)
    if (root !== after.root || before.contradicts(after)) {
      forks.set(after.run, (forks.get(after.run) ?? new Set()).add(after.size))
    }
    const { last } = before
    const known = nextBeganAt.get(after.run)
    nextBeganAt.set(after.run, known !== undefined && known < from.at ? known : from.at)
    const isLonger = after.size > Math.max(last.size, (ends.get(after.run)?.last ?? -1) + 1)
    if (isLonger) ends.set(after.run, before.gap(last, { size: after.size, at: from.at }))
    const lost = lostBeginning(from, { at: last.at, wasHeard: true })
    if (lost) beginnings.set(id, run.gap({ size: lost.first, at: lost.since }, from))
  }
  return { ends: [...ends.values()], beginnings, forks, nextBeganAt, hiddenRuns: hidden.runs }
}

/** Runs without a known checkpoint that known runs name. */
class HiddenRuns {
  readonly #named = new Map<string, Gap>()
  /** Number of known runs without a known run before them. */
  #beginnings = 0
  /** Time at which the earliest known run begins. */
  #firstBegin: string | undefined

  /** Notes a known run. @param before - the run that it names, if that is known */
  add(run: RunSnapshot, before: RunSnapshot | undefined): void {
    const { after, from } = run.first
    if (this.#firstBegin === undefined || from.at < this.#firstBegin) this.#firstBegin = from.at
    if (before) return
    this.#beginnings++
    if (!after || after.size === 0) return
    const named = this.#named.get(after.run)
    const size = Math.max(after.size, (named?.last ?? 0) + 1)
    const at = named && named.until > from.at ? named.until : from.at
    this.#named.set(after.run, { ...run.gap({ size: 0, at }, { size, at }), run: after.run })
  }

  /**
   * Runs that may lie between known ones. If all known runs follow one, the run that it names may be older than all
   * that was given.
   */
  get runs(): Gap[] {
    if (this.#beginnings < 2) return []
    const since = this.#firstBegin as string
    return Array.from(this.#named.values(), (gap) => ({ ...gap, since }))
  }
}
