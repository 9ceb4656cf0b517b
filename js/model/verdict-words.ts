import type { Outcome } from './outcome.js'

/**
 * The outcome of each word that a verdict may use. FORMAT.md, Words of verdicts, says which evidence each takes and on whose
 * trust it stands. A word that is not here is neither returned nor printed.
 */
export const VERDICT_WORDS = {
  verified: 'holds',
  refused: 'does not hold',
  'unknown signer': 'cannot tell',
  received: 'holds',
  signed: 'cannot tell',
  logged: 'holds',
  complete: 'holds',
  incomplete: 'does not hold',
  unknown: 'cannot tell',
  proved: 'holds',
  unsigned: 'cannot tell',
  consistent: 'cannot tell',
  different: 'does not hold',
} as const satisfies Readonly<Record<string, Outcome>>

/** A word of a verdict. */
export type VerdictWord = keyof typeof VERDICT_WORDS
