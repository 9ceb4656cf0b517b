import type { VerdictWord } from '../../../foundation/model/verdict-words.js'

/** Words for whether a pack has everything that belongs to its subject (FORMAT.md, Words of verdicts). */
export type WholeWord = Extract<
  VerdictWord,
  'whole by log' | 'each run whole by log' | 'whole by seal' | 'whole by proofs' | 'not shown'
>

/** Wholeness of a pack: whether anything shows that nothing was left out. */
export interface PackWholeness {
  /**
   * Word for the wholeness. `'whole by log'`: checkpoints list every message of the part of the log, or of an unbroken chain of runs, and
   * each is present.
   * `'each run whole by log'`: the same for each run in the pack; nothing shows that there was no other run between them.
   * `'whole by seal'`: a signer whom the policy lets confirm has sealed exactly the bundles about the payload.
   * `'whole by proofs'`: proofs for all payloads of the set, and a bundle about each. `'not shown'`: nothing shows it.
   */
  readonly word: WholeWord
  /** Key id of the signer whose statement shows it. Undefined with `'not shown'`. */
  readonly by?: string | undefined
  /** Number of messages, bundles or payloads that belong to the subject and are absent, including refused and undecided ones. */
  readonly missing: number
  /** Number of absent messages that the signer's stream refused, as the signer states. */
  readonly refused: number
  /** Number of absent messages that the stream had not accepted at the last checkpoint in the pack. */
  readonly undecided: number
}

/** Wholeness, and a clause about it for the sentence, without the word. */
export interface FoundWholeness {
  readonly whole: PackWholeness
  readonly clause: string
  /** Next step that would show the wholeness. */
  readonly needs?: string | undefined
}

const NOTHING_MISSING = { missing: 0, refused: 0, undecided: 0 }

/** Returns the finding that everything is present. @param by - key id of the signer who states it */
export function wholeBy(word: Exclude<WholeWord, 'not shown'>, by: string, clause: string): FoundWholeness {
  return { whole: { word, by, ...NOTHING_MISSING }, clause }
}

/** Returns the finding that nothing shows wholeness. @param counts - numbers of things known to be missing */
export function notShown(
  clause = 'completeness is not proven',
  counts: Partial<Omit<PackWholeness, 'word' | 'by'>> = {},
  needs?: string,
): FoundWholeness {
  return { whole: { word: 'not shown', ...NOTHING_MISSING, ...counts }, clause, needs }
}
