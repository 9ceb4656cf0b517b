import type { Outcome } from './outcome.js'

/**
 * The outcome of each word that a verdict may use. The section Words of verdicts in FORMAT.md states the evidence for
 * each word, and whom the reader must trust. No other word is returned or printed.
 */
export const VERDICT_WORDS = {
  verified: 'holds',
  refused: 'does not hold',
  'unknown signer': 'cannot tell',
  unread: 'cannot tell',
  received: 'holds',
  signed: 'cannot tell',
  logged: 'holds',
  witnessed: 'holds',
  contradicted: 'does not hold',
  unwitnessed: 'cannot tell',
  complete: 'holds',
  'complete in part': 'holds',
  incomplete: 'does not hold',
  unknown: 'cannot tell',
  proved: 'holds',
  grown: 'holds',
  unsigned: 'cannot tell',
  consistent: 'cannot tell',
  different: 'does not hold',
  'as signed': 'holds',
  altered: 'does not hold',
  missing: 'does not hold',
  extra: 'does not hold',
  moved: 'does not hold',
  twice: 'does not hold',
  member: 'holds',
  absent: 'holds',
  'sorted: checked': 'holds',
  'sorted: claimed': 'holds',
  'others: checked': 'holds',
  'others: claimed': 'holds',
  'whole by log': 'holds',
  'each run whole by log': 'holds',
  'whole by seal': 'holds',
  'whole by proofs': 'holds',
  'not shown': 'cannot tell',
} as const satisfies Readonly<Record<string, Outcome>>

/** A word that verdicts use. No verdict contains any other word. */
export type VerdictWord = keyof typeof VERDICT_WORDS
