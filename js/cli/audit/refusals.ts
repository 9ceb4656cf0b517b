import type { AlvariumError } from 'alvarium-sdk/verify'
import { type Outcome, outcomeOfCode } from '../../foundation/model/outcome.js'
import { Unreadable } from '../input/files.js'
import type { Session } from '../session.js'
import { MARKS } from '../terminal/outcome.js'
import { type SafeText, safeText } from '../terminal/safe-text.js'
import { SignedLater } from '../verify/received.js'

/** Messages that did not verify. Prints the first ones, and counts all: a revoked signer can cause many. */
export class Refusals {
  readonly outcomes = new Set<Outcome>()
  /** True if a message was signed after `--received-at`. */
  isSignedLater = false
  hasUnread = false
  count = 0
  readonly #session: Session
  readonly #maxRows: number

  constructor(session: Session, maxRows: number) {
    this.#session = session
    this.#maxRows = maxRows
  }

  async add(place: string, error: AlvariumError): Promise<void> {
    this.outcomes.add(outcomeOfCode(error.code))
    if (error instanceof SignedLater) this.isSignedLater = true
    if (error instanceof Unreadable) this.hasUnread = true
    if (++this.count <= this.#maxRows) await this.#session.err.line(unverifiedRow(place, error))
  }

  get rest(): number {
    return Math.max(0, this.count - this.#maxRows)
  }
}

export function unverifiedRow(place: string, error: AlvariumError): SafeText {
  const { code, message } = error
  if (error instanceof Unreadable) return safeText`${MARKS['cannot tell']} ${message}`
  return safeText`${MARKS[outcomeOfCode(code)]} ${place}: ${code}: ${message}`
}
