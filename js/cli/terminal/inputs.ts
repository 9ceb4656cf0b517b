import type { Bundle, Input } from 'alvarium-sdk/verify'
import { counted } from './words.js'

/** Maximum number of inputs shown; `--json` has all. */
const MOST_SHOWN = 5

type Made = Pick<Bundle, 'previousKey' | 'inputs'>

/**
 * Returns the sources that a bundle states for its payload, one per line: the first ones, and the number of
 * the others.
 */
export function madeFromLines({ previousKey, inputs }: Made): string[] {
  if (!inputs) return previousKey === undefined ? [] : [previousKey]
  if (inputs.length <= MOST_SHOWN) return inputs.map(inputText)
  const more = inputs.length - MOST_SHOWN
  return [
    ...inputs.slice(0, MOST_SHOWN).map(inputText),
    `… and ${counted(more, 'more input')} (--json has all)`,
  ]
}

function inputText(input: Input): string {
  return 'set' in input ? `all of the set ${input.set}` : `${input.key} (${input.hash})`
}
