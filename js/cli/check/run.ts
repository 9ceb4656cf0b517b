import type { CheckCounts, Checking, Finding } from 'alvarium-sdk/records'
import { checkManifest, checkMessages, type RecordGroups } from '../../evidence/records/check.js'
import { NO_COUNTS } from '../../evidence/records/counts.js'
import { type Judged, type Outcome, worstOf } from '../../foundation/model/outcome.js'
import { type ReadShare, readShareOf } from '../input/read-share.js'
import { type TrustedAt, trustedAt } from '../keys/trusted.js'
import { ControlReader } from '../messages/control-reader.js'
import { EXIT, type ExitCode, type Run, type Session } from '../session.js'
import { conclude, NEEDS } from '../terminal/outcome.js'
import { showProgress } from '../terminal/progress.js'
import { type SafeText, safeText } from '../terminal/safe-text.js'
import { count } from '../terminal/words.js'
import { signedLater } from '../verify/received.js'
import { assertAlone, CheckManifest, manifestsIn } from './manifest.js'
import { CheckMessages, MAX_ROWS, recordGroupsOf } from './messages.js'
import { keptOf, notesOf, Report, sumOf } from './report.js'
import type { CheckArguments, SignedSource } from './signed-source.js'

export const run: Run<CheckArguments> = async ([data = '', ...sources], options, session) => {
  const trust = await trustedAt(options, session.err)
  session.begin()
  const share = await readShareOf([data, ...sources])
  const records = recordGroupsOf(data, options, session, share.addBytes)
  const [file] = await manifestsIn(sources)
  if (file === undefined) return byMessages(records, sources, { trust, share, options, session })
  assertAlone(file, sources, options)
  return byManifest(records, file, { trust, share, options, session })
}

interface CheckParts {
  readonly trust: TrustedAt
  readonly share: ReadShare
  readonly options: CheckArguments
  readonly session: Session
}

async function byMessages(
  records: RecordGroups,
  sources: readonly string[],
  { trust, share, options, session }: CheckParts,
): Promise<ExitCode> {
  const controls = await ControlReader.open(trust, sources, options, session)
  const messages = new CheckMessages(sources, session, controls, share.addBytes)
  const { action, maxRecords } = options
  const verifying = { ...controls.trust, action, maxRecords }
  const checking = checkMessages(records, messages.read(), verifying, (bundles) =>
    signedLater(trust.receivedAt, bundles),
  )
  const teller = new FindingReporter(options, session, messages)
  if (!(await tellAll(checking, teller, share, session))) return EXIT.interrupted
  await messages.end()
  await controls.tell(session)
  return session.interrupted.aborted ? EXIT.interrupted : teller.end(checking.counts)
}

async function byManifest(
  records: RecordGroups,
  file: string,
  { trust, share, options, session }: CheckParts,
): Promise<ExitCode> {
  const signed = new CheckManifest(file, session)
  const teller = new FindingReporter(options, session, signed)
  const manifest = await signed.open(trust, options)
  if (!manifest) return teller.end(NO_COUNTS)
  const checking = checkManifest(records, manifest, { maxRecords: options.maxRecords })
  if (!(await tellAll(checking, teller, share, session))) return EXIT.interrupted
  return teller.end(checking.counts)
}

/**
 * Reports all findings.
 *
 * @returns false if the user interrupted the check: records that seem missing may only be unread
 */
async function tellAll(
  checking: Checking,
  teller: FindingReporter,
  share: ReadShare,
  session: Session,
): Promise<boolean> {
  const line = () => {
    const { records, signed } = checking.counts
    return share.before(safeText`${count(signed)} signed, ${count(records)} compared`)
  }
  await showProgress(session, line, async () => {
    for await (const finding of checking) {
      if (session.interrupted.aborted) return
      await teller.tell(finding, checking.counts)
    }
  })
  return !session.interrupted.aborted
}

/** Maximum number of rows shown if no record matches: in a wrong file, each record is a finding. */
const MAX_FIRST_ROWS = 10

class FindingReporter {
  readonly #options: CheckArguments
  readonly #session: Session
  readonly #evidence: SignedSource
  readonly #report: Report
  #rows = 0
  /** Rows that are printed only if at least one record is still as it was signed. */
  readonly #laterRows: SafeText[] = []

  constructor(options: CheckArguments, session: Session, evidence: SignedSource) {
    this.#options = options
    this.#session = session
    this.#evidence = evidence
    this.#report = new Report(evidence, options)
  }

  async tell(finding: Finding, { signed }: CheckCounts): Promise<void> {
    if (finding.kind === 'refused')
      return this.#evidence.refusals.add(this.#evidence.placeOf(finding), finding.error)
    // Skip the finding: without signed records, every record would count as added.
    if (signed === 0 && !this.#evidence.isWhole) return
    if (this.#options.json) return this.#session.out.json(this.#report.json(finding))
    this.#rows++
    if (this.#rows <= MAX_FIRST_ROWS) await this.#session.out.line(this.#report.row(finding))
    else if (this.#rows <= MAX_ROWS) this.#laterRows.push(this.#report.row(finding))
  }

  async end(counts: CheckCounts): Promise<ExitCode> {
    const { out } = this.#session
    const rest = keptOf(counts) > 0 ? this.#laterRows : []
    await out.lines(rest)
    const more = this.#rows - MAX_FIRST_ROWS - rest.length
    const judged = this.#judged(counts)
    if (more > 0) await out.line(safeText`  ${count(more)} more: --json shows all`)
    if (this.#options.json) await out.json({ finding: 'total', ...counts, ...judged })
    else if (this.#isCompared(counts)) for (const note of notesOf(counts)) await out.note(note)
    return conclude(judged, this.#options, this.#session)
  }

  #judged(counts: CheckCounts): Judged {
    const { refusals, foreign } = this.#evidence
    const outcome = worstOf([...refusals.outcomes, this.#comparedOutcome(counts)])
    const says = this.#isCompared(counts)
      ? sumOf(counts)
      : `no signed records found in the ${this.#evidence.name}`
    if (outcome !== 'cannot tell') return { outcome, says }
    if (refusals.isSignedLater) return { outcome, says, needs: NEEDS.received }
    return { outcome, says, needs: foreign.count > 0 ? NEEDS.bundles : NEEDS.signer }
  }

  /** Returns whether there was evidence to compare with: a signed record, or a verified manifest, even an empty one. */
  #isCompared({ signed }: CheckCounts): boolean {
    return signed > 0 || (this.#evidence.isWhole && this.#evidence.refusals.count === 0)
  }

  /** Returns the outcome of the comparison: undecided if an unknown signer may have signed the added records. */
  #comparedOutcome(counts: CheckCounts): Outcome {
    const { altered, missing, extra, moved, twice } = counts
    const { refusals, foreign } = this.#evidence
    if (!this.#isCompared(counts)) return 'cannot tell'
    if (altered + missing + moved + twice > 0) return 'does not hold'
    if (extra === 0) return 'holds'
    return refusals.outcomes.has('cannot tell') || foreign.count > 0 ? 'cannot tell' : 'does not hold'
  }
}
