import type { Annotation } from 'alvarium-sdk/verify'
import { bold, type SafeText, safeText, toSafeText } from './shown.js'

/** Writes an answer as a word: marks and colours belong to outcomes, and a genuine message may say no. */
export function answerWord(isSatisfied: boolean): SafeText {
  return isSatisfied ? toSafeText('yes') : bold('no')
}

/** Writes an annotation with its answer: `src yes`. */
export function answer({ kind, isSatisfied }: Pick<Annotation, 'kind' | 'isSatisfied'>): SafeText {
  return safeText`${kind} ${answerWord(isSatisfied)}`
}
