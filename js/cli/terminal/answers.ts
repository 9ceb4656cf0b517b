import type { Annotation } from 'alvarium-sdk/verify'
import { bold, type Shown, shown, toShown } from './shown.js'

/** Writes an answer as a word: marks and colours belong to outcomes, and a genuine message may say no. */
export function answerWord(isSatisfied: boolean): Shown {
  return isSatisfied ? toShown('yes') : bold('no')
}

/** Writes an annotation with its answer: `src yes`. */
export function answer({ kind, isSatisfied }: Pick<Annotation, 'kind' | 'isSatisfied'>): Shown {
  return shown`${kind} ${answerWord(isSatisfied)}`
}
