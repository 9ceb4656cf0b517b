import { Completeness, type SignerReport } from 'alvarium-sdk/completeness'
import { AlvariumError, type VerifiedBundle } from 'alvarium-sdk/verify'
import { verifyReceivedCheckpoint } from '../../evidence/completeness/checkpoint/verify-checkpoint.js'
import { type Judged, worstOf } from '../../foundation/model/outcome.js'
import { VERDICT_WORDS } from '../../foundation/model/verdict-words.js'
import { verifyReceived } from '../../verifying/verify/messages.js'
import { trustedAt } from '../keys/trusted.js'
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
import { Refusals } from './refusals.js'
import { judgedReport, MAX_ROWS, signerRows } from './report.js'

interface AuditOptions extends MessageOptions, ControlOptions {
  readonly json?: boolean
  readonly witnesses?: string
}

export const run: Run<AuditOptions> = async (sources, options, session) => {
  const trust = await trustedAt(options, session.err)
  const controls = await ControlReader.open(trust, sources, options, session)
  const completeness = new Completeness(await witnessesIn(options.witnesses))
  const audit = new Audit(controls, completeness, new Refusals(session, MAX_ROWS))
  const reading = { ...options, withControlMessages: true }
  for await (const found of messagesWithProgress(sources, reading, session)) {
    // Stop here: a message that was read after an interruption may be cut off.
    if (session.interrupted.aborted) break
    await audit.add(found)
  }
  const reports = completeness.report().map((report) => judgedReport(report, audit.refusals.hasUnread))
  for (const report of reports) await session.out.show(options.json, report, () => signerRows(report))
  await controls.tell(session, ['lease', 'set'])
  await audit.foreign.tell(session, 'skipped: they are in no log')
  await tellRest(audit.refusals, session)
  return conclude(audit.judged(reports), options, session)
}

async function tellRest({ outcomes, rest }: Refusals, { err }: Session): Promise<void> {
  if (rest === 0) return
  const mark = MARKS[worstOf(outcomes)]
  await err.line(safeText`${mark} ${countOf(rest, 'more message')} did not verify: alvarium verify shows all`)
}

class Audit {
  readonly foreign = new ForeignMessages()
  readonly refusals: Refusals
  readonly #controls: ControlReader
  readonly #completeness: Completeness

  constructor(controls: ControlReader, completeness: Completeness, refusals: Refusals) {
    this.#controls = controls
    this.#completeness = completeness
    this.refusals = refusals
  }

  /** Verifies all given messages with one call, which is faster, and adds them to the audit. */
  async add(found: readonly FoundMessage[]): Promise<void> {
    const { messages, checkpoints } = await this.#controls.partsOf(found)
    for (const { place, message } of messages)
      if (message instanceof AlvariumError) await this.refusals.add(place, message)
    for (const one of checkpoints) await this.#addCheckpoint(one)
    const others = messages.filter(isReadable)
    const { receivedAt = found[0]?.receivedAt, ...trust } = this.#controls.trust
    const outcomes = await verifyReceived(
      others.map(({ message }) => message),
      trust,
      () => receivedAt,
    )
    for (const [at, outcome] of outcomes.entries()) {
      const { place, message } = others[at] as ReadableMessage
      if (outcome.status === 'fulfilled') await this.#addMessage(place, message, outcome.value)
      else if (!this.foreign.take(message)) await this.refusals.add(place, outcome.reason as AlvariumError)
    }
  }

  async #addMessage(place: string, message: Uint8Array, bundles: readonly VerifiedBundle[]): Promise<void> {
    const later = signedLater(this.#controls.trust.receivedAt, bundles)
    if (later) await this.refusals.add(place, later)
    else this.#completeness.addMessage(message, bundles)
  }

  async #addCheckpoint({ place, message, receivedAt }: ReadableMessage): Promise<void> {
    try {
      const { keyring, leases, receivedAt: given = receivedAt } = this.#controls.trust
      const options = { keyring, leases, receivedAt: given }
      this.#completeness.addCheckpoint(await verifyReceivedCheckpoint(message, options))
    } catch (error) {
      if (!(error instanceof AlvariumError)) throw error
      await this.refusals.add(place, error)
    }
  }

  judged(reports: readonly SignerReport[]): Judged {
    const outcome = worstOf([
      ...this.refusals.outcomes,
      ...reports.map(({ verdict }) => VERDICT_WORDS[verdict]),
    ])
    const says = this.#saysOf(reports)
    return outcome === 'cannot tell' ? { outcome, says, needs: this.#needsOf(reports) } : { outcome, says }
  }

  #saysOf(reports: readonly SignerReport[]): string {
    if (reports.length === 0)
      return this.refusals.count > 0 ? 'no message verified' : 'there was no message to audit'
    const words = (['complete', 'incomplete', 'unknown'] as const).flatMap((word) => {
      const signers = reports.filter(({ verdict }) => verdict === word).length
      return signers > 0 ? [`${count(signers)} ${word}`] : []
    })
    const rest = this.refusals.count > 0 ? `; ${countOf(this.refusals.count, 'message')} did not verify` : ''
    return `${countOf(reports.length, 'signer')}: ${words.join(', ')}${rest}`
  }

  #needsOf(reports: readonly SignerReport[]): string {
    if (this.refusals.hasUnread) return NEEDS.source
    if (this.refusals.isSignedLater) return NEEDS.received
    if (this.refusals.count > 0) return NEEDS.signer
    return reports.length === 0 ? NEEDS.message : CHECKPOINTS
  }
}

/** Advice to the user for an audit that lacks checkpoints, which `alvarium annotate` does not sign. */
const CHECKPOINTS =
  'the checkpoints of each run, from its beginning: openSdk({ checkpoints }) signs them (alvarium annotate signs none)'
