import { ById } from './by-id.js'
import { hiddenSpans, isWithin } from './hidden.js'
import { type Findings, KnownRun } from './known-run.js'
import type { Fork, Gap, Missing, RunReport, SignerReport, Unlisted } from './report.js'
import { SeenMessages } from './seen.js'
import type { Checkpoint } from './text.js'
import { msOf } from './times.js'

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
    return [...this.#runs.values()].flatMap((run) => run.checkpoints)
  }

  get runs(): RunReport[] {
    return Array.from(this.#runs.values(), (run) => run.report())
  }

  /** In steps, as there may be very many messages and checkpoints. */
  *report(): Generator<void, SignerReport> {
    const runs = [...this.#runs.values()]
    const gaps: Gap[] = []
    for (const run of runs) for (const gap of yield* run.gaps()) gaps.push(gap)
    for (const gap of yield* this.#ends()) gaps.push(gap)
    const found: Findings[] = []
    for (const run of runs) found.push(yield* run.findings(this.seen))
    const missing: Missing[] = []
    for (const one of found) for (const range of one.missing) missing.push(range)
    const forks: Fork[] = []
    for (const run of runs) for (const fork of yield* run.forks()) forks.push(fork)
    const { unlisted, unknown, count } = yield* this.#unlisted(gaps)
    const missingInGaps = Math.max(0, (yield* this.#countIn(gaps)) - count)
    const [refused, pending] = [sum(found.map((one) => one.refused)), sum(found.map((one) => one.pending))]
    const isIncomplete = missing.length + forks.length + unlisted.length + missingInGaps > 0
    const isUnknown = pending + unknown + gaps.length > 0 || !hasBegin(runs)
    const verdict = isIncomplete ? 'incomplete' : isUnknown ? 'unknown' : 'complete'
    return {
      ...{ signer: this.#signer, name: this.name, verdict, messages: this.seen.size, runs: this.runs },
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

  /** Ends of runs that only the next run tells of. */
  *#ends(): Generator<void, Iterable<Gap>> {
    const ends = new Map<string, Gap>()
    for (const { first } of this.#runs.values()) {
      yield
      const before = first.after && this.#runs.get(first.after.run)
      if (!first.after || !before) continue
      before.addRoot(first.after)
      const gap = before.gapUntil(first)
      const longest = ends.get(first.after.run)
      if (gap && gap.last > (longest?.last ?? -1)) ends.set(gap.run, gap)
    }
    return ends.values()
  }

  /** Messages in no list: some are in no log, others may be in a part that nobody can see. */
  *#unlisted(
    gaps: readonly Gap[],
  ): Generator<void, { unlisted: Unlisted[]; unknown: number; count: number }> {
    const listed = new ById<true>()
    for (const run of this.#runs.values()) {
      for (const { entries } of run.checkpoints) {
        for (const [at, { id }] of entries.entries()) {
          if (at % TOGETHER === 0) yield
          listed.set(id, true)
        }
      }
    }
    const runs = [...this.#runs.values()].map(({ first, last }) => ({ begin: first.from, last }))
    const isHidden = yield* isWithin(hiddenSpans(runs, gaps), this.#toleranceMs)
    const unlisted: Unlisted[] = []
    let [count, looked] = [0, 0]
    for (const [key, { id, timestamp }] of this.seen) {
      if (++looked % TOGETHER === 0) yield
      if (listed.has(key)) continue
      count++
      if (!isHidden(msOf(timestamp))) unlisted.push({ id, timestamp })
    }
    return { unlisted, unknown: count - unlisted.length, count }
  }
}

/** Whether the checkpoints go back to the beginning of each log. */
function hasBegin(runs: readonly KnownRun[]): boolean {
  return runs.length > 0 && runs.every(({ first }) => first.from.size === 0)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}
