import type { VerdictWord } from '../../../foundation/model/verdict-words.js'

/** Words that state how far evidence shows that a pack is complete (FORMAT.md, Words of verdicts). */
export type WholeWord = Extract<
  VerdictWord,
  'whole by log' | 'each run whole by log' | 'whole by seal' | 'whole by proofs' | 'not shown'
>

/** Completeness of a pack: whether evidence shows that nothing is missing. */
export interface PackWholeness {
  /**
   * Evidence that the pack is complete.
   *
   * - `'whole by log'`: checkpoints list every message of the range, or of an unbroken chain of runs, and all
   *   are present.
   * - `'each run whole by log'`: checkpoints list every message of the time span in each run of the pack, and
   *   all are present. Other runs may have lain between these runs.
   * - `'whole by seal'`: a signer that the policy permits to confirm has sealed exactly the bundles about the
   *   payload.
   * - `'whole by proofs'`: the pack has a proof and a bundle for each payload of the set.
   * - `'not shown'`: no evidence shows that the pack is complete.
   */
  readonly word: WholeWord
  /** Key id of the signer that states that nothing is missing. Undefined with `'not shown'`. */
  readonly by?: string | undefined
  /** Number of the subject's messages, bundles or payloads that are absent. Includes `refused` and `undecided`. */
  readonly missing: number
  /** Number of absent messages that the signer's stream refused, according to the signer. */
  readonly refused: number
  /**
   * Number of absent messages that the stream had not accepted, and whose fate no checkpoint in the pack
   * decides.
   */
  readonly undecided: number
}

/** Finding whether a pack is complete, and a clause for the sentence about the pack. */
export interface WholenessFinding {
  readonly whole: PackWholeness
  readonly clause: string
  /** Step that the reader can take to show that the pack is complete. */
  readonly needs?: string | undefined
}

const NOTHING_MISSING = { missing: 0, refused: 0, undecided: 0 }

/** Returns the finding that the pack is complete. @param by - key id of the signer that states this */
export function wholeBy(word: Exclude<WholeWord, 'not shown'>, by: string, clause: string): WholenessFinding {
  return { whole: { word, by, ...NOTHING_MISSING }, clause }
}

/** Returns the finding that a pack may be incomplete. @param counts - numbers of items known to be missing */
export function notShown(
  clause = 'completeness is not proven',
  counts: Partial<Omit<PackWholeness, 'word' | 'by'>> = {},
  needs?: string,
): WholenessFinding {
  return { whole: { word: 'not shown', ...NOTHING_MISSING, ...counts }, clause, needs }
}
