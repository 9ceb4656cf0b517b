import type { Bundle, Input } from 'alvarium-sdk/verify'
import { counted } from './words.js'

/** More nobody reads: `--json` has all. */
const MOST_SHOWN = 5

type Made = Pick<Bundle, 'previousKey' | 'inputs'>

/** What a bundle says its payload was made from, a line each: of many inputs the first, and how many there are. */
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
