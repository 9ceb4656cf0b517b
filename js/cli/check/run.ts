import type { CheckCounts, Finding } from 'alvarium-sdk/records'
import type { Action } from '../../model/bundle.js'
import { type Judged, type Outcome, worstOf } from '../../model/outcome.js'
import { checkBy } from '../../records/check.js'
import type { FormatOptions } from '../input/payloads.js'
import { ReadShare } from '../input/read-share.js'
import { trustedAt } from '../keys/trusted.js'
import { Beside, type BesideOptions } from '../messages/beside.js'
import { EXIT, type ExitCode, type Run, type Session } from '../session.js'
import { conclude, NEEDS } from '../terminal/outcome.js'
import { ProgressLine } from '../terminal/progress.js'
import { type Shown, shown } from '../terminal/shown.js'
import { count } from '../terminal/words.js'
import { CheckMessages, MOST_ROWS, recordGroupsOf } from './messages.js'
import { keptOf, notesOf, Report, sumOf } from './report.js'

/** What `alvarium check` can be asked for. */
interface CheckArguments extends BesideOptions, FormatOptions {
  readonly action?: Action
  readonly by?: string
  readonly maxRecords: number
  readonly json?: boolean
}

export const run: Run<CheckArguments> = async ([data = '', ...sources], options, session) => {
  const trust = await trustedAt(options, session.err)
  session.begin()
  const beside = await Beside.open(trust, sources, options, session)
  const share = await ReadShare.of([data, ...sources])
  const messages = new CheckMessages(sources, session, beside, share.addBytes)
  const { action, maxRecords } = options
  const checking = checkBy(recordGroupsOf(data, options, session, share.addBytes), messages.read(), {
    ...{ ...trust, leases: beside.leases, action, maxRecords },
  })
  const teller = new FindingTeller(options, session, messages)
  const progress = new ProgressLine(session, () => share.before(progressOf(checking.counts)))
  progress.begin()
  try {
    for await (const finding of checking) {
      // What seems to be missing may just not have been read.
      if (session.interrupted.aborted) return EXIT.interrupted
      await teller.tell(finding, checking.counts)
    }
  } finally {
    progress.end()
  }
  await messages.end()
  await beside.tell(session)
  return session.interrupted.aborted ? EXIT.interrupted : teller.end(checking.counts)
}

function progressOf({ records, signed }: CheckCounts) {
  return shown`${count(signed)} signed, ${count(records)} compared`
}

/** Rows of findings before it is known whether any record is as it was signed: a file of another kind has nothing but findings. */
const FEW_ROWS = 10

/** Tells what was found, and in the end what it adds up to. */
class FindingTeller {
  readonly #options: CheckArguments
  readonly #session: Session
  readonly #messages: CheckMessages
  readonly #report: Report
  #rows = 0
  /** Rows that are shown only if a record is as it was signed. */
  readonly #laterRows: Shown[] = []

  constructor(options: CheckArguments, session: Session, messages: CheckMessages) {
    this.#options = options
    this.#session = session
    this.#messages = messages
    this.#report = new Report((message) => messages.placeOf(message), options.format === 'chunks')
  }

  async tell(finding: Finding, { signed }: CheckCounts): Promise<void> {
    if (finding.kind === 'refused') {
      return this.#messages.refuse(this.#messages.placeOf(finding.message), finding.error)
    }
    // Compared with nothing, every record would count as added.
    if (signed === 0) return
    if (this.#options.json) return this.#session.out.json(this.#report.json(finding))
    this.#rows++
    if (this.#rows <= FEW_ROWS) await this.#session.out.line(this.#report.row(finding))
    else if (this.#rows <= MOST_ROWS) this.#laterRows.push(this.#report.row(finding))
  }

  async end(counts: CheckCounts): Promise<ExitCode> {
    const { out } = this.#session
    const rest = keptOf(counts) > 0 ? this.#laterRows : []
    for (const row of rest) await out.line(row)
    const more = this.#rows - FEW_ROWS - rest.length
    const judged = this.#judged(counts)
    if (more > 0) await out.line(shown`  ${count(more)} more: --json shows all`)
    if (this.#options.json) await out.json({ finding: 'total', ...counts, ...judged })
    else if (counts.signed > 0) for (const row of notesOf(counts)) await out.line(row)
    return conclude(judged, this.#options, this.#session)
  }

  #judged(counts: CheckCounts): Judged {
    const { outcomes, foreign } = this.#messages
    const outcome = worstOf([...outcomes, this.#comparedOutcome(counts)])
    const says = counts.signed === 0 ? 'no signed records found in the messages' : sumOf(counts)
    if (outcome !== 'cannot tell') return { outcome, says }
    return { outcome, says, needs: foreign.count > 0 ? NEEDS.bundles : NEEDS.signer }
  }

  /** Warns that an added record may have been signed by someone who is not known, or by another SDK. */
  #comparedOutcome({ signed, altered, missing, extra, moved, twice }: CheckCounts): Outcome {
    const { outcomes, foreign } = this.#messages
    if (signed === 0) return 'cannot tell'
    if (altered + missing + moved + twice > 0) return 'does not hold'
    if (extra === 0) return 'holds'
    return outcomes.has('cannot tell') || foreign.count > 0 ? 'cannot tell' : 'does not hold'
  }
}
