import type { Judged } from '../../foundation/model/outcome.js'
import { trustedAt } from '../keys/trusted.js'
import { type ControlOptions, ControlReader } from '../messages/control-reader.js'
import {
  assertKeptOutput,
  type MessageOptions,
  messagesFor,
  messagesWithProgress,
} from '../messages/messages.js'
import type { ExitCode, Run, Session } from '../session.js'
import { conclude } from '../terminal/outcome.js'
import type { SafeText } from '../terminal/safe-text.js'
import { countOf } from '../terminal/words.js'
import { type ExaminedVerdict, examinerBy } from './altered.js'
import { type AskedPayload, openPayload, type PayloadOptions } from './asked-payload.js'
import { cardOf, jsonOf, verdictRows } from './report.js'
import { Tally } from './tally.js'

interface VerifyArguments extends MessageOptions, PayloadOptions, ControlOptions {
  readonly quiet?: boolean
  readonly json?: boolean
}

export const run: Run<VerifyArguments> = async (sources, options, session) => {
  assertKeptOutput(options, session)
  const trust = await trustedAt(options, session.err)
  const controls = await ControlReader.open(trust, sources, options, session)
  const { payload: path } = options
  const payload = path === undefined ? undefined : await openPayload(path, options, session)
  const examine = examinerBy({ ...controls.trust, ...(payload && { payload }) })
  const teller = new VerdictTeller(options, session)
  try {
    // Omit the progress line on a terminal that already shows rows.
    const isSilent = options.quiet === true || !session.out.isTerminal
    const messages = (isSilent ? messagesWithProgress : messagesFor)(sources, options, session)
    for await (const found of messages) {
      // Stop here: a message that was read after an interruption may be cut off.
      if (session.interrupted.aborted) break
      const { messages } = await controls.partsOf(found)
      for (const judged of await examine(messages)) await teller.tell(judged)
    }
  } catch (error) {
    await teller.flush()
    throw error
  }
  const code = await teller.end(payload)
  await controls.tell(session)
  return code
}

/** Milliseconds after which the first verdict is shown, even if a slow pipe brings no second message. */
const HELD_BACK_MS = 200

class VerdictTeller {
  readonly #options: VerifyArguments
  readonly #session: Session
  readonly #tally = new Tally()
  /** First verdict, held back because a single verdict is shown with more details. */
  #first: ExaminedVerdict | undefined
  #timer: NodeJS.Timeout | undefined
  /** Printing of the first verdict, if no second verdict came within `HELD_BACK_MS`. */
  #late: Promise<void> | undefined

  constructor(options: VerifyArguments, session: Session) {
    this.#options = options
    this.#session = session
  }

  async tell(judged: ExaminedVerdict): Promise<void> {
    const isFirst = this.#tally.total === 0
    this.#tally.add(judged.verdict.is)
    const { json, quiet } = this.#options
    if (quiet && judged.verdict.is === 'verified') return
    if (json) return this.#session.out.json(jsonOf(judged))
    // Hold back no message of a topic. Requesting its next message would acknowledge the unshown one.
    if (isFirst && this.#options.url === undefined) return this.#holdBack(judged)
    await this.#showFirst(verdictRows)
    await this.#session.out.lines(verdictRows(judged))
  }

  async end(payload: AskedPayload | undefined): Promise<ExitCode> {
    const isAlone = this.#tally.total === 1 && !this.#late && !this.#session.interrupted.aborted
    await this.#showFirst(isAlone ? cardOf : verdictRows)
    return conclude(this.#judged(payload?.missing ?? 0), this.#options, this.#session)
  }

  /**
   * Returns the verdict of the command.
   *
   * @param missing - number of records of the payload that no message is about, and that someone may have
   * added
   */
  #judged(missing: number): Judged {
    const isStopped = this.#session.interrupted.aborted
    const { outcome, says, needs } = this.#tally.judged
    if (this.#tally.total === 0 && !isStopped)
      return { outcome, says: 'there was no message to verify', needs }
    const summary = isStopped ? `${says}, then it was stopped` : says
    if (missing === 0) return { outcome, says: summary, needs }
    const unsaid = `no message is about ${countOf(missing, 'record')} of --payload`
    return { outcome: 'does not hold', says: `${summary}; ${unsaid}` }
  }

  flush(): Promise<void> {
    return this.#showFirst(verdictRows)
  }

  #holdBack(judged: ExaminedVerdict): void {
    this.#first = judged
    this.#timer = setTimeout(() => {
      this.#late = this.#showFirst(verdictRows)
    }, HELD_BACK_MS)
  }

  async #showFirst(form: (judged: ExaminedVerdict) => SafeText[]): Promise<void> {
    clearTimeout(this.#timer)
    await this.#late
    const first = this.#first
    this.#first = undefined
    if (first) await this.#session.out.lines(form(first))
  }
}
