import { type Absence, absencesIn, type Fate } from './absences.js'
import type { Fork, Gap, Missing, RunReport } from './report.js'
import type { SeenUntil } from './seen.js'
import type { Checkpoint, LogSize } from './text.js'

/** What a run keeps. Nothing of it goes again, and each of these is in the order in which it came. */
export interface KeptRunParts {
  readonly numbers: ReadonlyMap<number, Checkpoint>
  /** The root of each size, and how many checkpoints had been added when it came. */
  readonly roots: ReadonlyMap<number, { readonly root: string; readonly at: number }>
  readonly forks: ReadonlySet<number>
  /** How many checkpoints were added. */
  readonly added: number
}

/** What is not there of a run, and how sure that is. */
export interface Findings {
  readonly missing: readonly Missing[]
  readonly refused: number
  readonly pending: number
}

/** A checkpoint, and the one before it that is there. */
interface Follower extends Pick<Checkpoint, 'from' | 'number'> {
  readonly before: Checkpoint
}

/** A run as it was at one moment: of what it keeps, the first so many. What is added later is behind them. */
export class RunMoment {
  readonly #run: string
  readonly #kept: KeptRunParts
  readonly #count: number
  readonly #forkCount: number
  readonly #added: number
  /** In the order of their numbers; made when it is asked for. */
  #order: readonly Checkpoint[] | undefined

  constructor(run: string, kept: KeptRunParts) {
    this.#run = run
    this.#kept = kept
    this.#count = kept.numbers.size
    this.#forkCount = kept.forks.size
    this.#added = kept.added
  }

  get checkpoints(): readonly Checkpoint[] {
    this.#order ??= [...firstOf(this.#kept.numbers.values(), this.#count)].sort((a, b) => a.number - b.number)
    return this.#order
  }

  get first(): Checkpoint {
    return this.checkpoints[0] as Checkpoint
  }

  get last(): Checkpoint {
    return this.checkpoints.at(-1) as Checkpoint
  }

  /** Whether the run itself has another root at this size. */
  contradicts({ size, root }: LogSize): boolean {
    const known = this.#kept.roots.get(size)
    return known !== undefined && known.at <= this.#added && known.root !== root
  }

  /**
   * A log that shrinks, or that the next checkpoint does not continue, is forked too. In steps, as {@link gaps}.
   *
   * @param told - sizes at which other runs say something else
   */
  *forks(told: Iterable<number>): Generator<void, Fork[]> {
    const forks = new Set([...firstOf(this.#kept.forks, this.#forkCount), ...told])
    for (const one of this.#followers()) {
      yield
      if (isBroken(one)) forks.add(one.from.size)
    }
    return Array.from(forks, (size) => ({ run: this.#run, size }))
  }

  report(): RunReport {
    const { first, last } = this
    const counts = { size: last.size, before: first.from.size, checkpoints: this.#count }
    return { run: this.#run, ...counts, since: first.from.at, until: last.at, hasEnded: last.isLast }
  }

  /** What lies between checkpoints that are there, one after the other. In steps, as there may be very many. */
  *gaps(): Generator<void, Gap[]> {
    const gaps: Gap[] = []
    for (const one of this.#followers()) {
      yield
      const { before, from } = one
      if (from.size !== before.size && !isBroken(one)) gaps.push(this.#gap(before, from))
    }
    return gaps
  }

  /** Checkpoints, each with the one before it that is there. */
  *#followers(): Generator<Follower, void> {
    let before: Checkpoint | undefined
    for (const one of this.checkpoints) {
      if (before) yield { before, from: one.from, number: one.number }
      before = one
    }
  }

  /** The end of the run, of which only the next one knows. */
  gapUntil(next: Checkpoint): Gap | undefined {
    const { after, from } = next
    if (!after || after.size <= this.last.size) return undefined
    return this.#gap(this.last, { size: after.size, at: from.at })
  }

  #gap(before: { size: number; at: string }, next: { size: number; at: string }): Gap {
    return { run: this.#run, first: before.size, last: next.size - 1, since: before.at, until: next.at }
  }

  /** In steps, as there may be very many messages. */
  *findings(seen: SeenUntil): Generator<void, Findings> {
    const absences = yield* this.absences(seen)
    const missing: Missing[] = []
    for (const { fate, ...one } of absences) if (fate === 'missing') missing.push(one)
    return { missing, refused: countOf(absences, 'refused'), pending: countOf(absences, 'undecided') }
  }

  /** Every listed message that is not there, whatever became of it. In steps, as {@link findings}. */
  absences(seen: SeenUntil): Generator<void, Absence[]> {
    return absencesIn(this.#run, this.checkpoints, seen)
  }
}

function countOf(absences: readonly Absence[], fate: Fate): number {
  return absences.reduce((sum, one) => (one.fate === fate ? sum + one.last - one.first + 1 : sum), 0)
}

/** Whether it does not continue the log. If checkpoints between the two are missing, it may begin further on. */
function isBroken({ before, from, number }: Follower): boolean {
  return from.size < before.size || (number === before.number + 1 && from.size > before.size)
}

function* firstOf<T>(values: Iterable<T>, most: number): Generator<T, void> {
  let count = 0
  for (const value of values) {
    if (count++ === most) return
    yield value
  }
}
