import type { CheckCounts, Finding, RecordFormat } from 'alvarium-sdk/records'
import type { Action } from '../../model/bundle.js'
import { checkBy } from '../../records/check.js'
import { trustedAt } from '../keys/trusted.js'
import { Beside, type BesideOptions } from '../messages/beside.js'
import { EXIT, type ExitCode, type Run, type Session } from '../session.js'
import { ProgressLine } from '../terminal/progress.js'
import { shown, yellow } from '../terminal/shown.js'
import { count } from '../terminal/words.js'
import { CheckMessages, MOST_ROWS, recordsOf } from './messages.js'
import { Report, sumOf } from './report.js'

/** What `alvarium check` can be asked for. */
interface CheckArguments extends BesideOptions {
  readonly action?: Action
  readonly format?: RecordFormat
  readonly chunkBytes: number
  readonly by?: string
  readonly maxRecords: number
  readonly json?: boolean
}

export const run: Run<CheckArguments> = async ([data = '', ...sources], options, session) => {
  const trust = await trustedAt(options)
  session.begin()
  const beside = await Beside.open(trust, sources, options, session.input)
  const messages = new CheckMessages(sources, session, beside)
  const { action, maxRecords } = options
  const checking = checkBy(recordsOf(data, options, session), messages.read(), {
    ...{ ...trust, leases: beside.leases, action, maxRecords },
  })
  const teller = new FindingTeller(options, session, messages)
  const progress = new ProgressLine(session, () => progressOf(checking.counts))
  progress.begin()
  try {
    for await (const finding of checking) {
      // What seems to be missing may just not have been read.
      if (session.interrupted.aborted) return EXIT.interrupted
      progress.end()
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

/** Tells what was found, and in the end what it adds up to. */
class FindingTeller {
  readonly #options: CheckArguments
  readonly #session: Session
  readonly #messages: CheckMessages
  readonly #report: Report
  #rows = 0

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
    if (++this.#rows <= MOST_ROWS) await this.#session.out.line(this.#report.row(finding))
  }

  async end(counts: CheckCounts): Promise<ExitCode> {
    if (counts.signed === 0) {
      await this.#session.err.line(shown`${yellow('?')} there was no signed record to compare with`)
      return this.#messages.areRefused ? EXIT.no : EXIT.unknown
    }
    const { out } = this.#session
    const more = this.#rows - MOST_ROWS
    if (more > 0) await out.line(shown`  ${count(more)} more: --json shows all`)
    if (this.#options.json) await out.json({ finding: 'total', ...counts })
    else for (const row of sumOf(counts)) await out.line(row)
    return this.#codeOf(counts)
  }

  /** What was added may have been signed by somebody who is not known. */
  #codeOf({ altered, missing, extra, moved, twice }: CheckCounts): ExitCode {
    const { areRefused, areUnknown } = this.#messages
    if (areRefused || altered + missing + moved + twice > 0) return EXIT.no
    if (areUnknown) return EXIT.unknown
    return extra > 0 ? EXIT.no : EXIT.yes
  }
}
