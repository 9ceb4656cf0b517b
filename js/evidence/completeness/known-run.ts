import type { LogSize } from '../logs/size.js'
import { type Absence, absencesIn, type Fate } from './absences.js'
import type { Checkpoint } from './checkpoint/text.js'
import { continuationOf } from './continuity.js'
import type { Fork, Gap, Missing, RunName, RunReport } from './report.js'
import type { SeenSnapshot } from './seen.js'

/** Checkpoints of a run, in any order. Nothing is removed, so a {@link RunSnapshot} need not copy the run. */
export class KnownRun {
  readonly numbers = new Map<number, Checkpoint>()
  /** Root of the log at each size, and the number of checkpoints at the time when the root was added. */
  readonly roots = new Map<number, { root: string; at: number }>()
  readonly forks = new Set<number>()
  /** Number of added checkpoints. */
  added = 0
  readonly #name: RunName
  #lastSnapshot: RunSnapshot | undefined

  constructor(name: RunName) {
    this.#name = name
  }

  add(checkpoint: Checkpoint): void {
    this.added++
    const known = this.numbers.get(checkpoint.number)
    for (const size of [checkpoint, checkpoint.from]) this.#addRoot(size)
    if (!known) this.numbers.set(checkpoint.number, checkpoint)
    else if (!isSame(fieldsOf(known), fieldsOf(checkpoint))) {
      this.forks.add(Math.min(known.size, checkpoint.size))
    }
    this.#lastSnapshot = undefined
  }

  #addRoot({ size, root }: LogSize): void {
    const known = this.roots.get(size)
    if (!known) this.roots.set(size, { root, at: this.added })
    else if (known.root !== root) this.forks.add(size)
  }

  get snapshot(): RunSnapshot {
    this.#lastSnapshot ??= new RunSnapshot(this.#name, this)
    return this.#lastSnapshot
  }
}

function fieldsOf(checkpoint: Checkpoint): unknown[] {
  const { size, root, number, from, peaks, after, at, entries, pending, refused, isLast } = checkpoint
  const before = after && [after.run, after.size, after.root]
  const log = [size, root, number, from.size, from.root, from.at, peaks]
  return [...log, before, at, entries, pending, refused, isLast]
}

/** Returns whether two JSON values are equal. Faster than comparing their JSON. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return one === other
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => isSame(Reflect.get(one, name), Reflect.get(other, name)))
  )
}

/**
 * Snapshot of a run that remembers the sizes of its maps and sets. These keep the order of insertion, so the first
 * entries are those of the snapshot.
 */
export class RunSnapshot {
  readonly #name: RunName
  readonly #run: KnownRun
  readonly #count: number
  readonly #forkCount: number
  readonly #added: number
  #order: readonly Checkpoint[] | undefined

  constructor(name: RunName, run: KnownRun) {
    this.#name = name
    this.#run = run
    this.#count = run.numbers.size
    this.#forkCount = run.forks.size
    this.#added = run.added
  }

  get checkpoints(): readonly Checkpoint[] {
    this.#order ??= [...firstItems(this.#run.numbers.values(), this.#count)].sort(
      (a, b) => a.number - b.number,
    )
    return this.#order
  }

  get first(): Checkpoint {
    return this.checkpoints[0] as Checkpoint
  }

  get last(): Checkpoint {
    return this.checkpoints.at(-1) as Checkpoint
  }

  contradicts({ size, root }: LogSize): boolean {
    const known = this.#run.roots.get(size)
    return known !== undefined && known.at <= this.#added && known.root !== root
  }

  /** Returns the forks of the run, and yields between steps. @param others - sizes of forks that later runs show */
  *forks(others: Iterable<number>): Generator<void, Fork[]> {
    const forks = new Set([...firstItems(this.#run.forks, this.#forkCount), ...others])
    for (const [before, one] of this.#followers()) {
      yield
      if (continuationOf(before, one) === 'forked') forks.add(one.from.size)
    }
    return Array.from(forks, (size) => ({ ...this.#name, size }))
  }

  report(): RunReport {
    const { first, last } = this
    const counts = { size: last.size, before: first.from.size, checkpoints: this.#count }
    return { ...this.#name, ...counts, since: first.from.at, until: last.at, hasEnded: last.isLast }
  }

  /**
   * Returns the parts of the log between known checkpoints that none of them lists. Yields between steps,
   * because there may be many checkpoints.
   */
  *gaps(): Generator<void, Gap[]> {
    const gaps: Gap[] = []
    for (const [before, one] of this.#followers()) {
      yield
      if (continuationOf(before, one) === 'gap') gaps.push(this.gap(before, one.from))
    }
    return gaps
  }

  *#followers(): Generator<readonly [before: Checkpoint, one: Checkpoint], void> {
    let before: Checkpoint | undefined
    for (const one of this.checkpoints) {
      if (before) yield [before, one]
      before = one
    }
  }

  gap(before: { size: number; at: string }, next: { size: number; at: string }): Gap {
    return { ...this.#name, first: before.size, last: next.size - 1, since: before.at, until: next.at }
  }

  /** Finds the absent messages that known checkpoints list, by `Fate`, and yields between steps. */
  *findings(seen: SeenSnapshot) {
    const absences = yield* this.absences(seen)
    const missing = absences.flatMap(({ fate, ...one }): Missing[] => (fate === 'missing' ? [one] : []))
    return { missing, refused: countOf(absences, 'refused'), pending: countOf(absences, 'undecided') }
  }

  /** Returns the absent messages of all fates that known checkpoints list, and yields between steps. */
  absences(seen: SeenSnapshot): Generator<void, Absence[]> {
    return absencesIn(this.#name, this.checkpoints, seen)
  }
}

function countOf(absences: readonly Absence[], fate: Fate): number {
  return absences.reduce((sum, one) => (one.fate === fate ? sum + one.last - one.first + 1 : sum), 0)
}

function* firstItems<T>(values: Iterable<T>, max: number): Generator<T, void> {
  let count = 0
  for (const value of values) {
    if (count++ === max) return
    yield value
  }
}
