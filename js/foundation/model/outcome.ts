/** The outcome of a check. */
export type Outcome =
  /** Outcome of a check that was shown to hold, by public keys and policies that the reader trusts. */
  | 'holds'
  /** Outcome of a check that showed something altered, forbidden or missing. */
  | 'does not hold'
  /** Outcome of a check that cannot be decided without more information. */
  | 'cannot tell'

/** The verdict of a check: the outcome, a sentence, and the next step. */
export interface Judged {
  readonly outcome: Outcome
  /** One sentence with the facts that were shown, and whom the reader must trust for them. */
  readonly says: string
  /** The next step that would decide the check: "paste the sender's public key". Present only with `'cannot tell'`. */
  readonly needs?: string | undefined
}

/** Mark, colour and exit code of each outcome, the same in the command and on pages. */
export const OUTCOMES = {
  holds: { mark: '✓', colour: 'green', exitCode: 0 },
  'does not hold': { mark: '✗', colour: 'red', exitCode: 1 },
  'cannot tell': { mark: '?', colour: 'amber', exitCode: 2 },
} as const satisfies Readonly<Record<Outcome, { mark: string; colour: string; exitCode: number }>>

/**
 * Combines the outcomes of several checks. `'does not hold'` has precedence over `'cannot tell'`, and both over
 * `'holds'`. No outcome at all is `'cannot tell'`, because nothing was shown.
 *
 * @example
 * ```ts
 * import { OUTCOMES, worstOf } from 'alvarium-sdk'
 *
 * console.log(OUTCOMES[worstOf(['holds', 'cannot tell'])].exitCode) // 2
 * ```
 */
export function worstOf(outcomes: Iterable<Outcome>): Outcome {
  const found = new Set(outcomes)
  if (found.has('does not hold')) return 'does not hold'
  return found.has('cannot tell') || found.size === 0 ? 'cannot tell' : 'holds'
}

/** Codes of errors that show a fault in the checked object. All other codes tell why nothing could be shown. */
const FAULTS: readonly string[] = [
  'MESSAGE_MALFORMED',
  'SIGNATURE_INVALID',
  'PROOF_INVALID',
  'PAYLOAD_MISMATCH',
  'SIGNER_NOT_ALLOWED',
  'SIGNER_EXPIRED',
  'SIGNER_REVOKED',
]

/**
 * Returns the outcome of a failed check: `'does not hold'` if the error shows a fault in the checked object, otherwise
 * `'cannot tell'`.
 *
 * @param code - the code of the check's `AlvariumError`
 *
 * @example
 * ```ts
 * import { outcomeOfCode } from 'alvarium-sdk'
 *
 * console.log(outcomeOfCode('SIGNATURE_INVALID'), '·', outcomeOfCode('SIGNER_UNKNOWN')) // does not hold · cannot tell
 * ```
 */
export function outcomeOfCode(code: string): Exclude<Outcome, 'holds'> {
  return FAULTS.includes(code) ? 'does not hold' : 'cannot tell'
}
