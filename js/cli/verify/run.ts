import type { Judged } from '../../model/outcome.js'
import { trustedAt } from '../keys/trusted.js'
import { Beside, type BesideOptions } from '../messages/beside.js'
import { assertKeptOutput, type NamedOptions } from '../messages/kept-output.js'
import { type MessageOptions, messagesFor, messagesWithProgress } from '../messages/messages.js'
import type { ExitCode, Run, Session } from '../session.js'
import { conclude } from '../terminal/outcome.js'
import type { Shown } from '../terminal/shown.js'
import { counted } from '../terminal/words.js'
import { type ExaminedVerdict, MessageJudge } from './altered.js'
import { type AskedPayload, openPayload, type PayloadOptions } from './asked-payload.js'
import { cardOf, jsonOf, rowsOf } from './report.js'
import { Tally } from './tally.js'

/** What `alvarium verify` can be asked for. */
interface VerifyArguments extends MessageOptions, PayloadOptions, BesideOptions, NamedOptions {
  readonly quiet?: boolean
  readonly json?: boolean
}

export const run: Run<VerifyArguments> = async (sources, options, session) => {
  assertKeptOutput(options, session)
  const trust = await trustedAt(options, session.err)
  const beside = await Beside.open(trust, sources, options, session)
  const { payload: path } = options
  const payload = path === undefined ? undefined : await openPayload(path, options, session)
  const { leases, checkpoints } = beside
  const judge = new MessageJudge({ ...trust, leases, checkpoints, ...(payload && { payload }) })
  const teller = new VerdictTeller(options, session)
  try {
    // Rows on a terminal show how far it is.
    const isSilent = options.quiet === true || !session.out.isTerminal
    const messages = (isSilent ? messagesWithProgress : messagesFor)(sources, options, session)
    for await (const found of messages) {
      // What comes now may have been cut off.
      if (session.interrupted.aborted) break
      const { messages } = await beside.partsOf(found)
      for (const judged of await judge.judge(messages)) await teller.tell(judged)
    }
  } catch (error) {
    await teller.flush()
    throw error
  }
  const code = await teller.end(payload)
  await beside.tell(session)
  return code
}

/** How long the first one may be held back: who pipes messages in as they come sees it then. */
const HELD_BACK_MS = 200

/** Tells verdicts as they come, and in the end what they add up to. */
class VerdictTeller {
  readonly #options: VerifyArguments
  readonly #session: Session
  readonly #tally = new Tally()
  /** The first one is held back: if it is the only one, there is more room for it. */
  #first: ExaminedVerdict | undefined
  #timer: NodeJS.Timeout | undefined
  /** Its being shown because nothing came after it for so long. */
  #late: Promise<void> | undefined

  constructor(options: VerifyArguments, session: Session) {
    this.#options = options
    this.#session = session
  }

  async tell(judged: ExaminedVerdict): Promise<void> {
    const isFirst = this.#tally.total === 0
    this.#tally.add(judged.verdict.is)
    const { json = false, quiet = false } = this.#options
    if (quiet && judged.verdict.is === 'verified') return
    if (json) return this.#session.out.json(jsonOf(judged))
    // Of a topic, the broker forgets each when the next one is asked for.
    if (isFirst && this.#options.url === undefined) return this.#holdBack(judged)
    await this.#showFirst(rowsOf)
    await this.#show(rowsOf(judged))
  }

  async end(payload: AskedPayload | undefined): Promise<ExitCode> {
    const isAlone = this.#tally.total === 1 && !this.#late && !this.#session.interrupted.aborted
    await this.#showFirst(isAlone ? cardOf : rowsOf)
    return conclude(this.#judged(payload?.missing ?? 0), this.#options, this.#session)
  }

  /** @param missing - records of the payload without a message: someone may have put them there */
  #judged(missing: number): Judged {
    const isStopped = this.#session.interrupted.aborted
    const { outcome, says, needs } = this.#tally.judged
    if (this.#tally.total === 0 && !isStopped)
      return { outcome, says: 'there was no message to verify', needs }
    const told = isStopped ? `${says}, then it was stopped` : says
    if (missing === 0) return { outcome, says: told, needs }
    const unsaid = `no message is about ${counted(missing, 'record')} of --payload`
    return { outcome: 'does not hold', says: `${told}; ${unsaid}` }
  }

  /** What is held back, before anything else is said. */
  flush(): Promise<void> {
    return this.#showFirst(rowsOf)
  }

  #holdBack(judged: ExaminedVerdict): void {
    this.#first = judged
    this.#timer = setTimeout(() => {
      this.#late = this.#showFirst(rowsOf)
    }, HELD_BACK_MS)
  }

  async #showFirst(form: (judged: ExaminedVerdict) => Shown[]): Promise<void> {
    clearTimeout(this.#timer)
    await this.#late
    const first = this.#first
    this.#first = undefined
    if (first) await this.#show(form(first))
  }

  async #show(rows: readonly Shown[]): Promise<void> {
    for (const row of rows) await this.#session.out.line(row)
  }
}
