import { type AbsentMessage, join } from './joined.js'
import { Marked } from './ranges.js'
import type { Fork, Gap, Missing, RunReport } from './report.js'
import type { SeenUntil } from './seen.js'
import type { Checkpoint, LogSize } from './text.js'
import { orderly } from './times.js'

/** Messages that are looked at in one step. */
const TOGETHER = 1024

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

interface AbsentRange extends AbsentMessage {
  until: string
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
    const absent = yield* this.#absent(seen)
    const { isRefused, isUndecided } = yield* this.#told(absent)
    const missing: Missing[] = []
    let [refused, pending] = [0, 0]
    for (const [place, one] of absent.entries()) {
      if (place % TOGETHER === 0) yield
      if (isRefused.has(place)) refused++
      else if (isUndecided.has(place)) pending++
      else join(missing, this.#run, one)
    }
    return { missing, refused, pending }
  }

  *#absent(seen: SeenUntil): Generator<void, AbsentRange[]> {
    const absent: AbsentRange[] = []
    for (const { entries, from, at } of this.checkpoints) {
      let since = from.at
      const open: AbsentRange[] = []
      for (const [index, entry] of entries.entries()) {
        if (index % TOGETHER === 0) yield
        const time = seen.timeOf(entry.id)
        const bundles = seen.missingOf(entry)
        if (bundles > 0) open.push({ position: from.size + index, bundles, ...orderly(since, at) })
        if (time === undefined) continue
        for (const one of open) one.until = orderly(one.since, time).until
        absent.push(...open.splice(0))
        since = time
      }
      absent.push(...open)
    }
    return absent
  }

  /** What became of some: were they refused, or is the checkpoint not there that would say it? */
  *#told(absent: readonly AbsentRange[]): Generator<void, { isRefused: Marked; isUndecided: Marked }> {
    const [isRefused, isUndecided] = [new Marked(absent), new Marked(absent)]
    for (const [at, { number, pending, refused }] of this.checkpoints.entries()) {
      isRefused.mark(refused)
      // A pending message is decided once a list no longer has it.
      if (this.checkpoints[at + 1]?.number !== number + 1) isUndecided.mark(pending)
      yield
    }
    return { isRefused, isUndecided }
  }
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
