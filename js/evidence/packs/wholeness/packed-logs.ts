import { compareTexts } from '../../../foundation/base/text/text.js'
import { runYielding, verifyTurns } from '../../../foundation/base/time/turns.js'
import type { VerifiedBundle } from '../../../verifying/verify/options.js'
import { type Absence, absencesIn } from '../../completeness/absences.js'
import { leafOf } from '../../completeness/checkpoint/leaf.js'
import type { VerifiedCheckpoint } from '../../completeness/checkpoint/verify-checkpoint.js'
import { KnownSigners } from '../../completeness/known-signers.js'
import type { SeenRuns, SignerReport } from '../../completeness/report.js'
import { Sightings } from '../../completeness/sightings.js'
import { sortInSteps } from '../../completeness/sort-in-steps.js'
import type { ReadQuorum } from '../../witness/options.js'
import type { LogRange, PackSubject, SignerSpan } from '../subject.js'
import type { PackedLog } from '../verdict.js'
import { count, countWithNoun, type NameOf } from '../words.js'
import { coverageOf, nameOfRun, type PackedRun } from './spans.js'
import { notShown, type WholenessFinding, wholeBy } from './wholeness.js'

/** Milliseconds by which a message's time may lie outside the times of the checkpoints around it (FORMAT.md, Packs). */
const TOLERANCE_MS = 60_000

/** Finds out which messages the checkpoints of a pack list, and which of these are absent. */
export class PackedLogs {
  readonly #signers = new KnownSigners(TOLERANCE_MS)
  readonly #checkpoints: VerifiedCheckpoint[] = []
  readonly #sightings: Sightings | undefined
  #findings: Promise<LogFindings> | undefined

  constructor(reader: ReadQuorum | undefined) {
    this.#sightings = reader && new Sightings(reader)
  }

  /** Verified checkpoints. With the log size and root in a lease, they may show that a late message existed in time. */
  get checkpoints(): readonly VerifiedCheckpoint[] {
    return this.#checkpoints
  }

  addCheckpoint(checkpoint: VerifiedCheckpoint): void {
    this.#checkpoints.push(checkpoint)
    this.#sightings?.add(checkpoint)
  }

  addMessage(message: Uint8Array, bundles: readonly VerifiedBundle[]): void {
    const [first] = bundles
    // Without checkpoints, no log can list the message.
    if (!first || this.#checkpoints.length === 0) return
    this.#signers.addMessage(leafOf(message, first, undefined), first, bundles)
  }

  async logs(): Promise<PackedLog[]> {
    const { runs, reports } = await this.#evaluate()
    const absences = new Map<string, Absence[]>(reports.map(({ signer }) => [signer, []]))
    for (const run of runs.values()) for (const one of run.absences) absences.get(run.owner)?.push(one)
    return reports.map((report) => logOf(report, absences.get(report.signer) ?? []))
  }

  /** Returns the first absent messages that checkpoints list, sorted by signer, run and position. */
  async firstAbsences(max: number): Promise<Absence[]> {
    const { runs } = await this.#evaluate()
    const first: Absence[] = []
    for (const { absences } of runs.values()) first.push(...absences.slice(0, max - first.length))
    return first
  }

  async ofRange(range: LogRange, nameOf: NameOf): Promise<WholenessFinding> {
    const { runs, reports } = await this.#evaluate()
    const run = runs.get(nameOfRun(range))
    const counts = countsIn(runs, [range])
    const isForked = run !== undefined && areForked(reports, run.owner, [range])
    if (!run || counts.missing > 0 || isForked || !covers(run, range)) {
      return incomplete(counts, isForked, 'the checkpoints that list all positions of this part of the log')
    }
    const clause = `checkpoints of ${nameOf(run.owner)} list all of these messages, and each is here`
    return wholeBy('whole by log', run.owner, clause)
  }

  async ofSigner(span: SignerSpan, nameOf: NameOf): Promise<WholenessFinding> {
    const { runs, reports } = await this.#evaluate()
    const signerRuns = [...runs.values()].filter(({ owner }) => owner === span.id)
    const { parts, isListed, isChain } = coverageOf(signerRuns, span)
    const counts = countsIn(runs, parts)
    const isForked = areForked(reports, span.id, parts)
    if (counts.missing > 0 || isForked || !isListed) {
      return incomplete(
        counts,
        isForked,
        'checkpoints of all its runs, from the beginning of this time to its end',
      )
    }
    const all = `checkpoints of ${nameOf(span.id)} list all messages`
    if (isChain) {
      return wholeBy('whole by log', span.id, `${all} of this time, and each is here`)
    }
    const clause = `${all} of ${countWithNoun(parts.length, 'run')}, and each is here; nothing shows that there was no other run between them`
    return wholeBy('each run whole by log', span.id, clause)
  }

  /**
   * Returns whether witnesses have seen the logs: for a pack about a log, this log up to the end of the
   * range; otherwise all logs.
   */
  witnessed(about: PackSubject): SeenRuns | undefined {
    if ('log' in about) {
      const { signer, run, until } = about.log
      return this.#sightings?.verdict([{ keyId: signer, run, size: until }])
    }
    const runs = runsOf(this.#checkpoints).map(({ signer, run, checkpoints }) => {
      const size = checkpoints.reduce((maxSize, one) => Math.max(maxSize, one.size), 0)
      return { keyId: signer, run, size }
    })
    return this.#sightings?.verdict(runs)
  }

  /** Evaluates all logs once, after the last line of the pack was verified. */
  #evaluate(): Promise<LogFindings> {
    this.#findings ??= this.#evaluateLogs()
    return this.#findings
  }

  async #evaluateLogs(): Promise<LogFindings> {
    // Sort first, so that the order of lines does not decide which of two forked checkpoints counts.
    const ordered = await runYielding(sortInSteps(this.#checkpoints, byText))
    for (const one of ordered) {
      await verifyTurns.yieldIfDueLong()
      this.#signers.addCheckpoint(one)
    }
    const runs = new Map<string, RunAbsences>()
    for (const run of runsOf(ordered)) {
      const { key, signer: owner } = this.#signers.keyWithSigner(run.signer)
      const name = { keyId: run.signer, run: run.run }
      const absences = await runYielding(absencesIn(name, run.checkpoints, key.seen.snapshot))
      runs.set(nameOfRun(run), { ...run, owner, absences })
    }
    return { runs, reports: await this.#reports() }
  }

  async #reports(): Promise<SignerReport[]> {
    const reports: SignerReport[] = []
    for (const known of this.#signers.signers()) {
      if (known.runs.length > 0) reports.push(await runYielding(known.report()))
    }
    return reports.sort((one, other) => (one.signer < other.signer ? -1 : 1))
  }
}

interface RunAbsences extends PackedRun {
  /** Key id of the signer to which the run is attributed: for a leased key, the issuer. */
  readonly owner: string
  readonly absences: readonly Absence[]
}

interface LogFindings {
  /** Each run with its absent messages. The keys of the map are names from `nameOfRun`. */
  readonly runs: ReadonlyMap<string, RunAbsences>
  readonly reports: readonly SignerReport[]
}

/** Orders checkpoints by signer, run and number, and checkpoints with the same number by the text of their notes. */
function byText(one: VerifiedCheckpoint, other: VerifiedCheckpoint): number {
  return (
    compareTexts(one.signer, other.signer) ||
    compareTexts(one.run, other.run) ||
    one.number - other.number ||
    compareTexts(one.note, other.note)
  )
}

function runsOf(ordered: readonly VerifiedCheckpoint[]): PackedRun[] {
  const runs = new Map<string, VerifiedCheckpoint[]>()
  for (const one of ordered) {
    const run = runs.get(nameOfRun(one)) ?? []
    runs.set(nameOfRun(one), run)
    if (run.at(-1)?.number !== one.number) run.push(one)
  }
  return Array.from(runs.values(), (checkpoints) => {
    const [{ signer, run }] = checkpoints as [VerifiedCheckpoint]
    return { signer, run, checkpoints: checkpoints as [VerifiedCheckpoint] }
  })
}

/**
 * Returns the findings about a log. Its verdict is `'incomplete'` if messages are absent, even if the stream
 * refused them.
 */
function logOf(report: SignerReport, absences: readonly Absence[]): PackedLog {
  const { signer, missingInGaps } = report
  const { missing, ...others } = countAbsences(absences)
  return {
    signer,
    missing: missing + missingInGaps,
    ...others,
    unlisted: report.unlisted.length,
    forks: report.forks.length,
    verdict: missing > 0 ? 'incomplete' : report.verdict,
  }
}

function areForked(reports: readonly SignerReport[], signerId: string, parts: readonly LogRange[]): boolean {
  const runs = new Set(parts.map(nameOfRun))
  const forks = reports.find(({ signer }) => signer === signerId)?.forks ?? []
  return forks.some(({ keyId, run }) => runs.has(nameOfRun({ signer: keyId, run })))
}

type Counts = ReturnType<typeof countAbsences>

function countAbsences(absences: readonly Pick<Absence, 'first' | 'last' | 'fate'>[]) {
  const counts = { missing: 0, refused: 0, undecided: 0 }
  for (const { first, last, fate } of absences) {
    counts.missing += last - first + 1
    if (fate !== 'missing') counts[fate] += last - first + 1
  }
  return counts
}

function countsIn(runs: LogFindings['runs'], parts: readonly LogRange[]): Counts {
  return countAbsences(parts.flatMap((part) => [...within(runs.get(nameOfRun(part))?.absences ?? [], part)]))
}

/** Yields the overlap of each absence with a part of a log. */
function* within(absences: readonly Absence[], { from, until }: LogRange) {
  for (const { first, last, fate } of absences) {
    const [begin, end] = [Math.max(first, from), Math.min(last, until - 1)]
    if (begin <= end) yield { first: begin, last: end, fate }
  }
}

function covers({ checkpoints }: PackedRun, { from, until }: LogRange): boolean {
  const lists = [...checkpoints].sort((one, other) => one.from.size - other.from.size)
  const end = lists.reduce((at, one) => (one.from.size <= at ? Math.max(at, one.size) : at), from)
  return end >= until
}

function incomplete(counts: Counts, isForked: boolean, needs: string): WholenessFinding {
  const { missing, refused, undecided } = counts
  const fates = [
    refused > 0 && `${count(refused)} of them refused by the signer's stream`,
    undecided > 0 && `${count(undecided)} of them not accepted yet at the last checkpoint that is here`,
  ].filter(Boolean)
  const missingClause = [`${count(missing)} ${missing === 1 ? 'is' : 'are'} missing`, ...fates].join(', ')
  const parts = [missing > 0 && missingClause, isForked && 'the signer has told its log in two ways'].filter(
    Boolean,
  )
  if (parts.length > 0) return notShown(parts.join(', and '), counts)
  return notShown('completeness is not proven', {}, `Get ${needs}.`)
}
