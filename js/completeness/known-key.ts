import { ById } from './by-id.js'
import { GapFilling, sorted } from './gap-filling.js'
import { hiddenSpans, isWithin } from './hidden.js'
import { KnownRun } from './known-run.js'
import type { Fork, Gap, Missing, RunReport, Unlisted } from './report.js'
import { linksOf, type RunLinks, type RunMoments } from './run-links.js'
import type { RunMoment } from './run-moment.js'
import { SeenMessages, type SeenUntil } from './seen.js'
import type { Checkpoint } from './text.js'
import { msOf } from './times.js'

/** Messages that are looked at in one step. */
const TOGETHER = 1024

/** How a key is judged. */
export interface KeySettings {
  /** How far the time of a message may be from its place in the log, in milliseconds. */
  readonly toleranceMs: number
  /** Up to when, in milliseconds since 1970, messages may have been here and be gone: gaps that begin before say nothing about how many. */
  readonly goneUntilMs: number
}

/** What is found of the messages of a key. */
export interface KeyFindings {
  readonly messages: number
  readonly runs: readonly RunReport[]
  readonly missing: readonly Missing[]
  readonly gaps: readonly Gap[]
  readonly missingInGaps: number
  readonly forks: readonly Fork[]
  readonly unlisted: readonly Unlisted[]
  readonly refused: number
  readonly pending: number
  readonly unknown: number
}

/** What is known of a key: its runs, and which of its messages are there. */
export class KnownKey {
  readonly seen = new SeenMessages()
  readonly #keyId: string
  readonly #runs = new Map<string, KnownRun>()

  constructor(keyId: string) {
    this.#keyId = keyId
  }

  add(checkpoint: Checkpoint): void {
    const { run } = checkpoint
    const known = this.#runs.get(run) ?? new KnownRun({ keyId: this.#keyId, run })
    this.#runs.set(run, known)
    known.add(checkpoint)
  }

  /** All checkpoints, in the order of their runs. */
  get checkpoints(): readonly Checkpoint[] {
    return [...this.#runs.values()].flatMap((run) => run.now.checkpoints)
  }

  get runs(): RunReport[] {
    return Array.from(this.#runs.values(), (run) => run.now.report())
  }

  /** What is known now, whatever is added before the last step. In steps, as there may be very many messages and checkpoints. */
  findings(settings: KeySettings): Generator<void, KeyFindings> {
    const runs = new Map(Array.from(this.#runs, ([id, run]) => [id, run.now]))
    return findingsIn(runs, this.seen.now, settings)
  }
}

function* findingsIn(
  moments: RunMoments,
  seen: SeenUntil,
  { toleranceMs, goneUntilMs }: KeySettings,
): Generator<void, KeyFindings> {
  const runs = [...moments.values()]
  const [gaps, missing, forks]: [Gap[], Missing[], Fork[]] = [[], [], []]
  const links = yield* linksOf(moments)
  for (const run of runs) append(gaps, yield* run.gaps())
  append(gaps, links.ends)
  append(gaps, links.beginnings.values())
  let [refused, pending] = [0, 0]
  for (const [id, run] of moments) {
    const found = yield* run.findings(seen)
    append(missing, found.missing)
    refused += found.refused
    pending += found.pending
    append(forks, yield* run.forks(links.forks.get(id) ?? []))
  }
  const open = yield* inNoList(runs, seen)
  const missingInGaps = yield* countMissing(gaps, open, { toleranceMs, goneUntilMs })
  const unlisted = yield* inNoLog(open, runs, links, gaps, toleranceMs)
  return {
    ...{ messages: seen.size, runs: runs.map((run) => run.report()), missing, gaps, missingInGaps, forks },
    ...{ unlisted, refused, pending, unknown: open.length - unlisted.length },
  }
}

/** The messages that are there and in no list. */
function* inNoList(runs: readonly RunMoment[], seen: SeenUntil): Generator<void, Unlisted[]> {
  const listed = yield* listedIn(runs)
  const found: Unlisted[] = []
  let looked = 0
  for (const one of seen) {
    if (++looked % TOGETHER === 0) yield
    if (one && !listed.has(one[0])) found.push({ id: one[1].id, timestamp: one[1].timestamp })
  }
  return found
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

/** How many messages gaps have more than can lie in them, of the gaps of which one can know. */
function* countMissing(
  gaps: readonly Gap[],
  open: readonly Unlisted[],
  { toleranceMs, goneUntilMs }: KeySettings,
): Generator<void, number> {
  if (gaps.length === 0) return 0
  const times = yield* sorted(Float64Array.from(open, ({ timestamp }) => msOf(timestamp)))
  const filling = new GapFilling(times, toleranceMs)
  let count = 0
  for (const gap of [...gaps].sort(byEnd)) {
    yield
    let left = gap.last - gap.first + 1
    for (const _ of filling.taken(gap, left)) if (left-- % TOGETHER === 0) yield
    if (msOf(gap.since) > goneUntilMs) count += left
  }
  return count
}

/** Messages that are in no log: no part of one that nobody knows is of their time. */
function* inNoLog(
  open: readonly Unlisted[],
  runs: readonly RunMoment[],
  { beginnings, overAt }: RunLinks,
  gaps: readonly Gap[],
  toleranceMs: number,
): Generator<void, Unlisted[]> {
  const parts = runs.map(({ first, last }) => {
    const { run, from: begin } = first
    return { begin, isAfterGap: beginnings.has(run), last, overAt: overAt.get(run) }
  })
  const isHidden = yield* isWithin(hiddenSpans(parts, gaps), toleranceMs)
  const unlisted: Unlisted[] = []
  for (const [at, one] of open.entries()) {
    if (at % TOGETHER === 0) yield
    if (!isHidden(msOf(one.timestamp))) unlisted.push(one)
  }
  return unlisted
}

/** One by one: there may be more than a call takes arguments. */
export function append<T>(list: T[], more: Iterable<T>): void {
  for (const one of more) list.push(one)
}

/** The order in which gaps end. */
export function byEnd(one: Pick<Gap, 'until'>, other: Pick<Gap, 'until'>): number {
  if (one.until === other.until) return 0
  return one.until < other.until ? -1 : 1
}
