import { addToSet } from '../../foundation/base/map-of-sets.js'
import { lostBeginning } from './continuity.js'
import type { RunSnapshot } from './known-run.js'
import type { Gap } from './report.js'

export type RunSnapshots = ReadonlyMap<string, RunSnapshot>

export interface RunLinks {
  /** Gaps after the last known checkpoints of runs. The next run states how far each gap extends. */
  readonly ends: readonly Gap[]
  /** Lost beginnings of runs, by the id of the run. Only runs that follow a known run are included. */
  readonly beginnings: ReadonlyMap<string, Gap>
  /**
   * Sizes at which logs forked, by run id. At these sizes, a later run states a root that differs from the
   * run's own root, or from the root that another later run states.
   */
  readonly forks: ReadonlyMap<string, ReadonlySet<number>>
  /**
   * Beginning of the next run, by the id of the run before it. If several runs follow, the earliest
   * beginning.
   */
  readonly nextBeganAt: ReadonlyMap<string, string>
  /** Runs of which no checkpoint is known. Each is the predecessor that a known run states. */
  readonly hiddenRuns: readonly Gap[]
}

/** Compares each run with the previous run that it names. Yields between steps, because there may be many runs. */
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
      addToSet(forks, after.run, after.size)
    }
    const { last } = before
    const known = nextBeganAt.get(after.run)
    nextBeganAt.set(after.run, known !== undefined && known < from.at ? known : from.at)
    const isLonger = after.size > Math.max(last.size, (ends.get(after.run)?.last ?? -1) + 1)
    if (isLonger) ends.set(after.run, before.gap(last, { size: after.size, at: from.at }))
    const lost = lostBeginning(from, { at: last.at, wasListening: true })
    if (lost) beginnings.set(id, run.gap({ size: lost.first, at: lost.since }, from))
  }
  return { ends: [...ends.values()], beginnings, forks, nextBeganAt, hiddenRuns: hidden.runs }
}

/** Predecessors that known runs state, and of which no checkpoint is known. */
class HiddenRuns {
  readonly #named = new Map<string, Gap>()
  #beginnings = 0
  #firstBegin: string | undefined

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
   * Hidden runs that may lie between known runs. Empty if all known runs form a single chain: the hidden run
   * before this chain may be older than all received messages.
   */
  get runs(): Gap[] {
    if (this.#beginnings < 2) return []
    const since = this.#firstBegin as string
    return Array.from(this.#named.values(), (gap) => ({ ...gap, since }))
  }
}
