import { ById } from './by-id.js'
import type { Checkpoint } from './checkpoint/text.js'
import { GapFilling } from './gap-filling.js'
import { hiddenSpans, testWithin } from './hidden-spans.js'
import type { RunSnapshot } from './known-run.js'
import { KnownRun } from './known-run.js'
import type { Fork, Gap, Missing, RunReport, Unlisted } from './report.js'
import { linksOf, type RunLinks, type RunSnapshots } from './run-links.js'
import { SeenMessages, type SeenSnapshot } from './seen.js'
import { sortInSteps } from './sort-in-steps.js'
import { msOf } from './times.js'

/** Number of messages that are processed between two yields. */
const STEP = 1024

/** Settings for the comparison of a key's messages with its logs. */
export interface KeySettings {
  /** Milliseconds by which a message's time may lie outside the times of the checkpoints before and after it. */
  readonly toleranceMs: number
  /**
   * Time in milliseconds since 1970 up to which messages may have been pruned. Absent messages in gaps that
   * begin at this time or earlier do not count as missing.
   */
  readonly prunedUntilMs: number
}

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

export class KnownKey {
  readonly seen = new SeenMessages()
  readonly keyId: string
  readonly #runs = new Map<string, KnownRun>()

  constructor(keyId: string) {
    this.keyId = keyId
  }

  add(checkpoint: Checkpoint): void {
    const { run } = checkpoint
    const known = this.#runs.get(run) ?? new KnownRun({ keyId: this.keyId, run })
    this.#runs.set(run, known)
    known.add(checkpoint)
  }

  /**
   * Checkpoints of the key, grouped by run. If several checkpoints of a run have the same number, only the
   * first one that was added.
   */
  get checkpoints(): readonly Checkpoint[] {
    return [...this.#runs.values()].flatMap((run) => run.snapshot.checkpoints)
  }

  get runs(): RunReport[] {
    return Array.from(this.#runs.values(), (run) => run.snapshot.report())
  }

  /**
   * Compares the messages and checkpoints that are known now. Yields between steps, because there may be very
   * many. Later additions do not change the result.
   */
  findings(settings: KeySettings): Generator<void, KeyFindings> {
    const runs = new Map(Array.from(this.#runs, ([id, run]) => [id, run.snapshot]))
    return findingsIn(runs, this.seen.snapshot, settings)
  }
}

function* findingsIn(
  moments: RunSnapshots,
  seen: SeenSnapshot,
  { toleranceMs, prunedUntilMs }: KeySettings,
): Generator<void, KeyFindings> {
  const runs = [...moments.values()]
  const [gaps, missing, forks]: [Gap[], Missing[], Fork[]] = [[], [], []]
  const links = yield* linksOf(moments)
  for (const run of runs) appendAll(gaps, yield* run.gaps())
  appendAll(gaps, links.ends)
  appendAll(gaps, links.beginnings.values())
  let [refused, pending] = [0, 0]
  for (const [id, run] of moments) {
    const found = yield* run.findings(seen)
    appendAll(missing, found.missing)
    refused += found.refused
    pending += found.pending
    appendAll(forks, yield* run.forks(links.forks.get(id) ?? []))
  }
  const open = yield* messagesInNoList(runs, seen)
  const missingInGaps = yield* countMissing(gaps, open, { toleranceMs, prunedUntilMs })
  // Add the gaps of hidden runs, which only later runs name, after `countMissing`, so that nothing in them
  // counts as missing. A hidden run may be older than all received messages, so nobody knows whether its
  // messages are missing.
  appendAll(gaps, links.hiddenRuns)
  const unlisted = yield* messagesInNoLog(open, runs, links, gaps, toleranceMs)
  return {
    messages: seen.size,
    runs: runs.map((run) => run.report()),
    missing,
    gaps,
    missingInGaps,
    forks,
    unlisted,
    refused,
    pending,
    unknown: open.length - unlisted.length,
  }
}

interface OpenMessage extends Unlisted {
  readonly ms: number
}

function* messagesInNoList(runs: readonly RunSnapshot[], seen: SeenSnapshot): Generator<void, OpenMessage[]> {
  const listed = yield* listedIds(runs)
  const found: OpenMessage[] = []
  let looked = 0
  for (const one of seen) {
    if (++looked % STEP === 0) yield
    if (!one || listed.has(one[0])) continue
    const { id, timestamp } = one[1]
    found.push({ id, timestamp, ms: msOf(timestamp) })
  }
  return found
}

function* listedIds(runs: readonly RunSnapshot[]): Generator<void, ById<true>> {
  const listed = new ById<true>()
  for (const run of runs) {
    for (const { entries } of run.checkpoints) {
      for (const [at, { id }] of entries.entries()) {
        if (at % STEP === 0) yield
        listed.set(id, true)
      }
    }
  }
  return listed
}

/** Counts the positions that no received message fills, except in gaps whose messages may be pruned. */
function* countMissing(
  gaps: readonly Gap[],
  open: readonly OpenMessage[],
  { toleranceMs, prunedUntilMs }: KeySettings,
): Generator<void, number> {
  if (gaps.length === 0) return 0
  const inOrder = yield* sortInSteps(open, (one, other) => one.ms - other.ms)
  const times = new Float64Array(inOrder.length)
  for (const [place, { ms }] of inOrder.entries()) times[place] = ms
  const filling = new GapFilling(times, toleranceMs)
  let count = 0
  for (const gap of yield* sortInSteps(gaps, byEnd)) {
    yield
    let left = gap.last - gap.first + 1
    for (const _ of filling.take(gap, left)) if (left-- % STEP === 0) yield
    if (msOf(gap.since) > prunedUntilMs) count += left
  }
  return count
}

/** Returns the messages that are in no log, although all checkpoints that should list them are known. */
function* messagesInNoLog(
  open: readonly OpenMessage[],
  runs: readonly RunSnapshot[],
  { beginnings, nextBeganAt }: RunLinks,
  gaps: readonly Gap[],
  toleranceMs: number,
): Generator<void, Unlisted[]> {
  const parts = runs.map(({ first, last }) => {
    const { run, from: begin } = first
    return { begin, isAfterGap: beginnings.has(run), last, nextBeganAt: nextBeganAt.get(run) }
  })
  const isHidden = yield* testWithin(hiddenSpans(parts, gaps), toleranceMs)
  const unlisted: Unlisted[] = []
  for (const [at, one] of open.entries()) {
    if (at % STEP === 0) yield
    const { id, timestamp, ms } = one
    if (!isHidden(ms)) unlisted.push({ id, timestamp })
  }
  return unlisted
}

/** Appends items one by one, because `push(...more)` fails for more items than a call can have arguments. */
function appendAll<T>(list: T[], more: Iterable<T>): void {
  for (const one of more) list.push(one)
}

export function byEnd(one: Pick<Gap, 'until'>, other: Pick<Gap, 'until'>): number {
  if (one.until === other.until) return 0
  return one.until < other.until ? -1 : 1
}
