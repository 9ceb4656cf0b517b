import type { VerdictWord } from '../model/verdict-words.js'

/** The words for whether a pack has everything that belongs to what it is about. FORMAT.md, Words of verdicts. */
export type WholeWord = Extract<
  VerdictWord,
  'whole by log' | 'each run whole by log' | 'whole by seal' | 'whole by proofs' | 'not shown'
>

/** Whether anything shows that nothing was left out of a pack. */
export interface PackWholeness {
  /**
   * `'whole by log'`: checkpoints list every message of the part of the log, or of an unbroken chain of runs, and each is here.
   * `'each run whole by log'`: the same of each run that is here; nothing shows that there was no other run between them.
   * `'whole by seal'`: a signer whom the policy lets confirm has sealed exactly the bundles about the payload.
   * `'whole by proofs'`: proofs for all payloads of the set, and a bundle about each. `'not shown'`: nothing shows it.
   */
  readonly word: WholeWord
  /** Key id of the signer on whose word it stands. Nothing with `'not shown'`. */
  readonly by?: string | undefined
  /** Messages, bundles or payloads that are known to belong to it and are not here, whatever became of them. */
  readonly missing: number
  /** Messages of these that the signer says its stream refused. */
  readonly refused: number
  /** Messages of these that the stream had not accepted at the last checkpoint that is here. */
  readonly undecided: number
}

/** Finding about wholeness, and a clause about it for the sentence, without the word. */
export interface FoundWholeness {
  readonly whole: PackWholeness
  readonly clause: string
  /** The next step that would show it. */
  readonly needs?: string | undefined
}

const NOTHING_MISSING = { missing: 0, refused: 0, undecided: 0 }

/** Everything is here. @param by - key id of the signer who says so */
export function wholeBy(word: Exclude<WholeWord, 'not shown'>, by: string, clause: string): FoundWholeness {
  return { whole: { word, by, ...NOTHING_MISSING }, clause }
}

/** Nothing shows that everything is here. @param counts - what is known to be missing */
export function notShown(
  clause = 'completeness is not proven',
  counts: Partial<Omit<PackWholeness, 'word' | 'by'>> = {},
  needs?: string,
): FoundWholeness {
  return { whole: { word: 'not shown', ...NOTHING_MISSING, ...counts }, clause, needs }
}
