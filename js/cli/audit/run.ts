import { Completeness, type SignerReport } from 'alvarium-sdk/completeness'
import { AlvariumError } from 'alvarium-sdk/verify'
import { verifyReceivedCheckpoint } from '../../completeness/verify-checkpoint.js'
import { verifyReceived } from '../../verify/messages.js'
import { type TrustedAt, trustedAt } from '../keys/trusted.js'
import { Beside, type BesideOptions } from '../messages/beside.js'
import { type FoundMessage, isReadable, type ReadableMessage } from '../messages/found.js'
import { type MessageOptions, messagesFor } from '../messages/messages.js'
import { EXIT, type ExitCode, type Run, type Session } from '../session.js'
import { red, shown, yellow } from '../terminal/shown.js'
import { counted } from '../terminal/words.js'
import { MOST_ROWS, rowsOf, unverifiedRow } from './report.js'

/** What `alvarium audit` can be asked for. */
interface AuditOptions extends MessageOptions, BesideOptions {
  readonly json?: boolean
}

export const run: Run<AuditOptions> = async (sources, options, session) => {
  const trust = await trustedAt(options)
  const beside = await Beside.open(trust, sources, options, session.input)
  const audit = new Audit(trust, beside, session)
  for await (const found of messagesFor(sources, { ...options, beside: true }, session)) {
    // What comes now may have been cut off.
    if (session.interrupted.aborted) break
    await audit.add(found)
  }
  const reports = audit.completeness.report()
  for (const report of reports) {
    if (options.json) await session.out.json(report)
    else for (const row of rowsOf(report)) await session.out.line(row)
  }
  await beside.tell(session, ['lease', 'set'])
  await audit.tellRest()
  if (reports.length === 0) await session.err.line(shown`${yellow('?')} ${audit.whyNothing}`)
  return audit.codeOf(reports.map(({ verdict }) => verdict))
}

/** What was found, verified and told to `completeness`. */
class Audit {
  readonly completeness = new Completeness()
  readonly #trust: TrustedAt
  readonly #beside: Beside
  readonly #session: Session
  /** Whether something did not verify, or could not be. */
  #is: { refused?: boolean; unknown?: boolean } = {}
  /** How many did not verify. */
  #unverified = 0

  constructor(trust: TrustedAt, beside: Beside, session: Session) {
    this.#trust = trust
    this.#beside = beside
    this.#session = session
  }

  /** Messages that came together, of which the bundles are verified together. */
  async add(found: readonly FoundMessage[]): Promise<void> {
    const { messages, checkpoints } = await this.#beside.partsOf(found)
    for (const { place, message } of messages)
      if (message instanceof AlvariumError) await this.#tell(place, message)
    for (const one of checkpoints) await this.#addCheckpoint(one)
    const others = messages.filter(isReadable)
    const { keyring, receivedAt = found[0]?.receivedAt } = this.#trust
    const outcomes = await verifyReceived(
      others.map(({ message }) => message),
      { keyring, leases: this.#beside.leases },
      () => receivedAt,
    )
    for (const [at, outcome] of outcomes.entries()) {
      const { place, message } = others[at] as ReadableMessage
      if (outcome.status === 'fulfilled') this.completeness.addMessage(message, outcome.value)
      else await this.#tell(place, outcome.reason as AlvariumError)
    }
  }

  async #addCheckpoint({ place, message, receivedAt }: ReadableMessage): Promise<void> {
    try {
      const { keyring } = this.#trust
      const options = {
        keyring,
        leases: this.#beside.leases,
        receivedAt: this.#trust.receivedAt ?? receivedAt,
      }
      this.completeness.addCheckpoint(await verifyReceivedCheckpoint(message, options))
    } catch (error) {
      if (!(error instanceof AlvariumError)) throw error
      await this.#tell(place, error)
    }
  }

  async #tell(place: string, error: AlvariumError): Promise<void> {
    const isUnknown = error.code === 'SIGNER_UNKNOWN' || error.code === 'CONFIG_INVALID'
    this.#is[isUnknown ? 'unknown' : 'refused'] = true
    if (++this.#unverified <= MOST_ROWS) await this.#session.err.line(unverifiedRow(place, error))
  }

  /** Why there is no report. */
  get whyNothing(): string {
    return this.#unverified > 0 ? 'no message verified' : 'there was no message to audit'
  }

  /** All messages of an archive may be refused, when their signer was revoked meanwhile. */
  async tellRest(): Promise<void> {
    const more = this.#unverified - MOST_ROWS
    if (more <= 0) return
    const text = shown`${red('✗')} ${counted(more, 'more message')} did not verify: alvarium verify shows all`
    await this.#session.err.line(text)
  }

  /** What did not verify, or is missing, is worse than what is not known. */
  codeOf(verdicts: readonly SignerReport['verdict'][]): ExitCode {
    if (this.#is.refused || verdicts.includes('incomplete')) return EXIT.no
    const isUnknown = this.#is.unknown || verdicts.length === 0 || verdicts.includes('unknown')
    return isUnknown ? EXIT.unknown : EXIT.yes
  }
}
