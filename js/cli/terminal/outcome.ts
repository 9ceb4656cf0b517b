import { type Judged, OUTCOMES, type Outcome } from '../../foundation/model/outcome.js'
import { type TrustOptions, trustText } from '../keys/trusted.js'
import { type ExitCode, exitOf, type Session } from '../session.js'
import { green, red, type SafeText, safeText, type TextValue, yellow } from './safe-text.js'

/** Terminal styles by the colours of outcomes. Yellow replaces amber, which terminals lack. */
const STYLES = { green, red, amber: yellow }

export function colourText(outcome: Outcome, text: TextValue): SafeText {
  return STYLES[OUTCOMES[outcome].colour](text)
}

function markOf(outcome: Outcome): SafeText {
  return colourText(outcome, OUTCOMES[outcome].mark)
}

export const MARKS: Readonly<Record<Outcome, SafeText>> = {
  holds: markOf('holds'),
  'does not hold': markOf('does not hold'),
  'cannot tell': markOf('cannot tell'),
}

export const NEEDS = {
  signer: "the sender's public key (--key or --trust)",
  source: 'sources that can be read',
  received: 'the time at which the messages were received (--received-at)',
  message: 'messages to verify',
  lists: 'the lists of the sets that payloads were made from (alvarium store score takes them with --list)',
  about: 'verified messages about the payload, or its whole key, or the payload itself',
  bundles: 'bundles about the records, or the public key of their signer',
} as const

interface JudgeOptions extends TrustOptions {
  readonly json?: boolean
}

/**
 * Prints the verdict of a command: the outcome, the facts, the trust, and the next step. With `--json`, it
 * prints to standard error, and only if the outcome is not `'holds'`, because programs read standard output.
 *
 * @returns the exit code for the outcome
 */
export async function conclude(
  { outcome, says, needs }: Judged,
  options: JudgeOptions,
  { out, err }: Pick<Session, 'out' | 'err'>,
): Promise<ExitCode> {
  const next = needs === undefined ? '' : `; needs ${needs}`
  const line = safeText`${MARKS[outcome]} ${outcome}: ${says}, on the trust of ${trustText(options)}${next}`
  if (!options.json) await out.line(line)
  else if (outcome !== 'holds') await err.line(line)
  return exitOf(outcome)
}
