import { continuationOf } from './continuity.js'
import { type Fate, Fates } from './fates.js'
import { type AbsentMessage, join } from './joined.js'
import type { Fork, Gap, Missing, RunName, RunReport } from './report.js'
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
  fate: Fate
}

/** A run as it was at one moment: of what it keeps, the first so many. What is added later is behind them. */
export class RunMoment {
  readonly #name: RunName
  readonly #kept: KeptRunParts
  readonly #count: number
  readonly #forkCount: number
  readonly #added: number
  /** In the order of their numbers; made when it is asked for. */
  #order: readonly Checkpoint[] | undefined

  constructor(name: RunName, kept: KeptRunParts) {
    this.#name = name
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

  /** In steps, as {@link gaps}. @param told - sizes at which next runs say something else */
  *forks(told: Iterable<number>): Generator<void, Fork[]> {
    const forks = new Set([...firstOf(this.#kept.forks, this.#forkCount), ...told])
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

  /** The parts between checkpoints that are there, one after the other. In steps, as there may be very many. */
  *gaps(): Generator<void, Gap[]> {
    const gaps: Gap[] = []
    for (const [before, one] of this.#followers()) {
      yield
      if (continuationOf(before, one) === 'gap') gaps.push(this.gap(before, one.from))
    }
    return gaps
  }

  /** Checkpoints, each behind the one before it that is there. */
  *#followers(): Generator<readonly [before: Checkpoint, one: Checkpoint], void> {
    let before: Checkpoint | undefined
    for (const one of this.checkpoints) {
      if (before) yield [before, one]
      before = one
    }
  }

  /** The part of the log between two sizes. */
  gap(before: { size: number; at: string }, next: { size: number; at: string }): Gap {
    return { ...this.#name, first: before.size, last: next.size - 1, since: before.at, until: next.at }
  }

  /** In steps, as there may be very many messages. */
  *findings(seen: SeenUntil): Generator<void, Findings> {
    const fates = new Fates<AbsentRange>((one, fate) => Object.assign(one, { fate }))
    const absent: AbsentRange[] = []
    let number = -1
    for (const checkpoint of this.checkpoints) {
      fates.settle(checkpoint, checkpoint.number === number + 1)
      const own = yield* absentIn(checkpoint, seen)
      fates.list(checkpoint, own)
      for (const one of own) absent.push(one)
      number = checkpoint.number
      yield
    }
    return yield* this.#counted(absent)
  }

  *#counted(absent: readonly AbsentRange[]): Generator<void, Findings> {
    const missing: Missing[] = []
    let [refused, pending] = [0, 0]
    for (const [place, one] of absent.entries()) {
      if (place % TOGETHER === 0) yield
      if (one.fate === 'missing') join(missing, this.#name, one)
      else if (one.fate === 'refused') refused++
      else pending++
    }
    return { missing, refused, pending }
  }
}

/** The messages of a list that are not there. */
function* absentIn({ entries, from, at }: Checkpoint, seen: SeenUntil): Generator<void, AbsentRange[]> {
  const absent: AbsentRange[] = []
  let [since, first] = [from.at, 0]
  for (const [index, entry] of entries.entries()) {
    if (index % TOGETHER === 0) yield
    const time = seen.timeOf(entry.id)
    const bundles = seen.missingOf(entry)
    const position = from.size + index
    if (bundles > 0) absent.push({ position, bundles, ...orderly(since, at), fate: 'pending' })
    if (time === undefined) continue
    for (; first < absent.length; first++) {
      const one = absent[first] as AbsentRange
      one.until = orderly(one.since, time).until
    }
    since = time
  }
  return absent
}

function* firstOf<T>(values: Iterable<T>, most: number): Generator<T, void> {
  let count = 0
  for (const value of values) {
    if (count++ === most) return
    yield value
  }
}
