/** The outcome of a check. */
export type Outcome =
  /** Shown, by what the reader trusts. */
  | 'holds'
  /** Shown to be altered, forbidden or missing. */
  | 'does not hold'
  /** Not shown either way: more is needed. */
  | 'cannot tell'

/** The verdict of a check, in three parts. */
export interface Judged {
  readonly outcome: Outcome
  /** One sentence: the facts that were shown, and on whose trust they stand. */
  readonly says: string
  /** The next step that would decide it: "paste the sender's public key". Only where the outcome is `'cannot tell'`. */
  readonly needs?: string | undefined
}

/** The presentation of an outcome, the same in the command, on pages and in exit codes. */
export const OUTCOMES = {
  holds: { mark: '✓', colour: 'green', exitCode: 0 },
  'does not hold': { mark: '✗', colour: 'red', exitCode: 1 },
  'cannot tell': { mark: '?', colour: 'amber', exitCode: 2 },
} as const satisfies Readonly<Record<Outcome, { mark: string; colour: string; exitCode: number }>>

/**
 * Combines the outcomes of several checks: one that does not hold decides, then one that cannot tell. No outcome at all is
 * `'cannot tell'`, because nothing was shown.
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

/** Codes of errors that show a fault in what was checked. Any other code says why nothing could be shown. */
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
 * Returns the outcome of a check that failed: `'does not hold'` if its error shows a fault in what was checked, and otherwise `'cannot tell'`.
 *
 * @param code - of its `AlvariumError`
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
