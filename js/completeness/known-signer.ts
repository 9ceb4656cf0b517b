import type { VerifiedBundle } from '../verify/options.js'
import { ById } from './by-id.js'
import { hiddenSpans, isWithin } from './hidden.js'
import { KnownRun } from './known-run.js'
import type { Fork, Gap, Missing, RunReport, SignerReport, Unlisted } from './report.js'
import type { Findings, RunMoment } from './run-moment.js'
import { SeenMessages, type SeenUntil } from './seen.js'
import type { Checkpoint } from './text.js'
import { msOf } from './times.js'

/** Who is held to what was signed. */
export interface Who {
  readonly signer: string
  readonly name?: string | undefined
}

/** By a lease, its issuer has said it, whichever key the issuer gave it to. */
export function whoOf({ signer, signedBy }: Pick<VerifiedBundle, 'signer' | 'signedBy'>): Who {
  return { signer: signedBy?.id ?? signer, name: signedBy?.name }
}

/** Messages that are looked at in one step. */
const TOGETHER = 1024

/** What is known of a signer: its runs, and which of its messages are there. */
export class KnownSigner {
  readonly seen = new SeenMessages()
  readonly #signer: string
  readonly #toleranceMs: number
  readonly #runs = new Map<string, KnownRun>()
  name: string | undefined
  /** Up to when, in milliseconds since 1970, messages may have been here and be gone: gaps that begin before say nothing about how many. */
  goneUntilMs = Number.NEGATIVE_INFINITY

  /** @param toleranceMs - how far from its place in the log the time of a message may be */
  constructor(signer: string, toleranceMs: number) {
    this.#signer = signer
    this.#toleranceMs = toleranceMs
  }

  add(checkpoint: Checkpoint): void {
    const run = this.#runs.get(checkpoint.run) ?? new KnownRun(checkpoint.run)
    this.#runs.set(checkpoint.run, run)
    run.add(checkpoint)
  }

  /** All checkpoints, in the order of their runs. */
  get checkpoints(): readonly Checkpoint[] {
    return [...this.#runs.values()].flatMap((run) => run.now.checkpoints)
  }

  get runs(): RunReport[] {
    return runsOf(this.#moments)
  }

  get #moments(): Moments {
    return new Map(Array.from(this.#runs, ([id, run]) => [id, run.now]))
  }

  /** What is known now, whatever is added before the last step. In steps, as there may be very many messages and checkpoints. */
  report(): Generator<void, SignerReport> {
    return this.#report(this.#moments, this.seen.now, this.name)
  }

  *#report(moments: Moments, seen: SeenUntil, name: string | undefined): Generator<void, SignerReport> {
    const runs = [...moments.values()]
    const [gaps, missing, forks]: [Gap[], Missing[], Fork[]] = [[], [], []]
    for (const run of runs) append(gaps, yield* run.gaps())
    const { ends, told } = yield* endsOf(moments)
    append(gaps, ends)
    const found: Findings[] = []
    for (const run of runs) found.push(yield* run.findings(seen))
    for (const one of found) append(missing, one.missing)
    for (const [id, run] of moments) append(forks, yield* run.forks(told.get(id) ?? []))
    const { unlisted, unknown, count } = yield* this.#unlisted(runs, seen, gaps)
    const missingInGaps = Math.max(0, (yield* this.#countIn(gaps)) - count)
    const [refused, pending] = [sum(found.map((one) => one.refused)), sum(found.map((one) => one.pending))]
    const isIncomplete = missing.length + forks.length + unlisted.length + missingInGaps > 0
    const isUnknown = pending + unknown + gaps.length > 0 || !hasBegin(runs)
    const verdict = isIncomplete ? 'incomplete' : isUnknown ? 'unknown' : 'complete'
    return {
      ...{ signer: this.#signer, name, verdict, messages: seen.size, runs: runsOf(moments) },
      ...{ missing, gaps, missingInGaps, forks, unlisted, refused, pending, unknown },
    }
  }

  /** How many messages gaps have, of which one can know. */
  *#countIn(gaps: readonly Gap[]): Generator<void, number> {
    let count = 0
    for (const { first, last, since } of gaps) {
      yield
      if (msOf(since) > this.goneUntilMs) count += last - first + 1
    }
    return count
  }

  /** Messages in no list: some are in no log, others may be in a part that nobody can see. */
  *#unlisted(
    runs: readonly RunMoment[],
    seen: SeenUntil,
    gaps: readonly Gap[],
  ): Generator<void, { unlisted: Unlisted[]; unknown: number; count: number }> {
    const listed = yield* listedIn(runs)
    const parts = runs.map(({ first, last }) => ({ begin: first.from, last }))
    const isHidden = yield* isWithin(hiddenSpans(parts, gaps), this.#toleranceMs)
    const unlisted: Unlisted[] = []
    let [count, looked] = [0, 0]
    for (const one of seen) {
      if (++looked % TOGETHER === 0) yield
      if (!one || listed.has(one[0])) continue
      count++
      const { id, timestamp } = one[1]
      if (!isHidden(msOf(timestamp))) unlisted.push({ id, timestamp })
    }
    return { unlisted, unknown: count - unlisted.length, count }
  }
}

/** The runs of a signer at one moment, by their ids. */
type Moments = ReadonlyMap<string, RunMoment>

function runsOf(moments: Moments): RunReport[] {
  return Array.from(moments.values(), (run) => run.report())
}

/** Ends of runs that only the next run tells of, and sizes at which next runs tell of another log. */
function* endsOf(
  moments: Moments,
): Generator<void, { ends: Iterable<Gap>; told: ReadonlyMap<string, ReadonlySet<number>> }> {
  const ends = new Map<string, Gap>()
  const forks = new Map<string, Set<number>>()
  const roots = new Map<string, string>()
  for (const { first } of moments.values()) {
    yield
    const { after } = first
    const before = after && moments.get(after.run)
    if (!before) continue
    const place = `${after.run} ${after.size}`
    const root = roots.get(place) ?? after.root
    roots.set(place, root)
    if (root !== after.root || before.contradicts(after)) {
      forks.set(after.run, (forks.get(after.run) ?? new Set()).add(after.size))
    }
    const gap = before.gapUntil(first)
    const longest = ends.get(after.run)
    if (gap && gap.last > (longest?.last ?? -1)) ends.set(gap.run, gap)
  }
  return { ends: ends.values(), told: forks }
}

/** The messages in all lists. */
function* listedIn(runs: readonly RunMoment[]): Generator<void, ById<true>> {
  const listed = new ById<true>()
  for (const run of runs) {
    for (const { entries } of run.checkpoints) {
      for (const [at, { id }] of entries.entries()) {
        if (at % TOGETHER === 0) yield
        listed.set(id, true)
      }
    }
  }
  return listed
}

/** Whether the checkpoints go back to the beginning of each log. */
function hasBegin(runs: readonly RunMoment[]): boolean {
  return runs.length > 0 && runs.every(({ first }) => first.from.size === 0)
}

/** One by one: there may be more than a call takes arguments. */
function append<T>(list: T[], more: Iterable<T>): void {
  for (const one of more) list.push(one)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
