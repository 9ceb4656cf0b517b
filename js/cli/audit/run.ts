import { Completeness, type SignerReport } from 'alvarium-sdk/completeness'
import { AlvariumError, type VerifiedBundle } from 'alvarium-sdk/verify'
import { verifyReceivedCheckpoint } from '../../evidence/completeness/checkpoint/verify-checkpoint.js'
import { type Judged, type Outcome, outcomeOfCode, worstOf } from '../../foundation/model/outcome.js'
import { VERDICT_WORDS } from '../../foundation/model/verdict-words.js'
import { verifyReceived } from '../../verifying/verify/messages.js'
import { Unreadable } from '../input/files.js'
import { type TrustedAt, trustedAt } from '../keys/trusted.js'
import { type ControlOptions, ControlReader } from '../messages/control-reader.js'
import { ForeignMessages } from '../messages/foreign.js'
import { type FoundMessage, isReadable, type ReadableMessage } from '../messages/found.js'
import { type MessageOptions, messagesWithProgress } from '../messages/messages.js'
import type { Run, Session } from '../session.js'
import { conclude, MARKS, NEEDS } from '../terminal/outcome.js'
import { safeText } from '../terminal/safe-text.js'
import { count, countOf } from '../terminal/words.js'
import { signedLater } from '../verify/received.js'
import { witnessesIn } from '../witness/witnesses-file.js'
import { judgedReport, MAX_ROWS, signerRows, unverifiedRow } from './report.js'

interface AuditOptions extends MessageOptions, ControlOptions {
  readonly json?: boolean
  readonly witnesses?: string
}

export const run: Run<AuditOptions> = async (sources, options, session) => {
  const trust = await trustedAt(options, session.err)
  const controls = await ControlReader.open(trust, sources, options, session)
  const audit = new Audit(trust, controls, session)
  audit.completeness = new Completeness(await witnessesIn(options.witnesses))
  for await (const found of messagesWithProgress(
    sources,
    { ...options, withControlMessages: true },
    session,
  )) {
    // Stop here: a message that was read after an interruption may be cut off.
    if (session.interrupted.aborted) break
    await audit.add(found)
  }
  const reports = audit.completeness.report().map((report) => judgedReport(report, audit.hasUnread))
  for (const report of reports) await session.out.show(options.json, report, () => signerRows(report))
  await controls.tell(session, ['lease', 'set'])
  await audit.foreign.tell(session, 'skipped: they are in no log')
  await audit.tellRest()
  return conclude(audit.judged(reports), options, session)
}

/** State of one audit. Verifies messages and adds them to `completeness`. */
class Audit {
  completeness = new Completeness()
  readonly foreign = new ForeignMessages()
  readonly #trust: TrustedAt
  readonly #controls: ControlReader
  readonly #session: Session
  readonly #outcomes = new Set<Outcome>()
  #unverified = 0
  /** True if a message was signed after `--received-at`. */
  #isSignedLater = false
  /** True if a source could not be read. */
  hasUnread = false

  constructor(trust: TrustedAt, controls: ControlReader, session: Session) {
    this.#trust = trust
    this.#controls = controls
    this.#session = session
  }

  /** Verifies all given messages with one call, which is faster, and adds them to the audit. */
  async add(found: readonly FoundMessage[]): Promise<void> {
    const { messages, checkpoints } = await this.#controls.partsOf(found)
    for (const { place, message } of messages)
      if (message instanceof AlvariumError) await this.#tell(place, message)
    for (const one of checkpoints) await this.#addCheckpoint(one)
    const others = messages.filter(isReadable)
    const { keyring, receivedAt = found[0]?.receivedAt } = this.#trust
    const outcomes = await verifyReceived(
      others.map(({ message }) => message),
      { keyring, leases: this.#controls.leases, checkpoints: this.#controls.checkpoints },
      () => receivedAt,
    )
    for (const [at, outcome] of outcomes.entries()) {
      const { place, message } = others[at] as ReadableMessage
      if (outcome.status === 'fulfilled') await this.#addMessage(place, message, outcome.value)
      else if (!this.foreign.take(message)) await this.#tell(place, outcome.reason as AlvariumError)
    }
  }

  async #addMessage(place: string, message: Uint8Array, bundles: readonly VerifiedBundle[]): Promise<void> {
    const later = signedLater(this.#trust.receivedAt, bundles)
    if (!later) return this.completeness.addMessage(message, bundles)
    this.#isSignedLater = true
    await this.#tell(place, later)
  }

  async #addCheckpoint({ place, message, receivedAt }: ReadableMessage): Promise<void> {
    try {
      const { keyring } = this.#trust
      const options = {
        keyring,
        leases: this.#controls.leases,
        receivedAt: this.#trust.receivedAt ?? receivedAt,
      }
      this.completeness.addCheckpoint(await verifyReceivedCheckpoint(message, options))
    } catch (error) {
      if (!(error instanceof AlvariumError)) throw error
      await this.#tell(place, error)
    }
  }

  async #tell(place: string, error: AlvariumError): Promise<void> {
    this.#outcomes.add(outcomeOfCode(error.code))
    if (error instanceof Unreadable) this.hasUnread = true
    if (++this.#unverified <= MAX_ROWS) await this.#session.err.line(unverifiedRow(place, error))
  }

  /**
   * Reports the number of unverified messages beyond the {@link MAX_ROWS} that were listed. A revoked signer
   * can cause that many.
   */
  async tellRest(): Promise<void> {
    const more = this.#unverified - MAX_ROWS
    if (more <= 0) return
    const mark = MARKS[worstOf(this.#outcomes)]
    await this.#session.err.line(
      safeText`${mark} ${countOf(more, 'more message')} did not verify: alvarium verify shows all`,
    )
  }

  /** Returns the verdict of the audit: the worst outcome among its messages and signers. */
  judged(reports: readonly SignerReport[]): Judged {
    const outcome = worstOf([...this.#outcomes, ...reports.map(({ verdict }) => VERDICT_WORDS[verdict])])
    const says = this.#saysOf(reports)
    return outcome === 'cannot tell' ? { outcome, says, needs: this.#needsOf(reports) } : { outcome, says }
  }

  #saysOf(reports: readonly SignerReport[]): string {
    if (reports.length === 0)
      return this.#unverified > 0 ? 'no message verified' : 'there was no message to audit'
    const words = (['complete', 'incomplete', 'unknown'] as const).flatMap((word) => {
      const signers = reports.filter(({ verdict }) => verdict === word).length
      return signers > 0 ? [`${count(signers)} ${word}`] : []
    })
    const rest = this.#unverified > 0 ? `; ${countOf(this.#unverified, 'message')} did not verify` : ''
    return `${countOf(reports.length, 'signer')}: ${words.join(', ')}${rest}`
  }

  #needsOf(reports: readonly SignerReport[]): string {
    if (this.hasUnread) return NEEDS.source
    if (this.#isSignedLater) return NEEDS.received
    if (this.#unverified > 0) return NEEDS.signer
    return reports.length === 0 ? NEEDS.message : CHECKPOINTS
  }
}

/** Advice to the user for an audit that lacks checkpoints, which `alvarium annotate` does not sign. */
const CHECKPOINTS =
  'the checkpoints of each run, from its beginning: openSdk({ checkpoints }) signs them (alvarium annotate signs none)'
