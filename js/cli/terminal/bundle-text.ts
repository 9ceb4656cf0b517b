import type { Annotation, Bundle, Input } from 'alvarium-sdk/verify'
import { bold, type SafeText, safeText, toSafeText } from './safe-text.js'
import { countOf } from './words.js'

/** Formats an annotation's answer as a word, not as ✓ or ✗, which show whether a message verified. */
export function answerWord(isSatisfied: boolean): SafeText {
  return isSatisfied ? toSafeText('yes') : bold('no')
}

export function answer({ kind, isSatisfied }: Pick<Annotation, 'kind' | 'isSatisfied'>): SafeText {
  return safeText`${kind} ${answerWord(isSatisfied)}`
}

const MAX_INPUTS = 5

type MadeFrom = Pick<Bundle, 'previousKey' | 'inputs'>

/** Returns the first sources that a bundle states for its payload, and the number of the remaining sources. */
export function madeFromLines({ previousKey, inputs }: MadeFrom): string[] {
  if (!inputs) return previousKey === undefined ? [] : [previousKey]
  if (inputs.length <= MAX_INPUTS) return inputs.map(inputText)
  const more = inputs.length - MAX_INPUTS
  return [
    ...inputs.slice(0, MAX_INPUTS).map(inputText),
    `… and ${countOf(more, 'more input')} (--json has all)`,
  ]
}

function inputText(input: Input): string {
  return 'set' in input ? `all of the set ${input.set}` : `${input.key} (${input.hash})`
}
