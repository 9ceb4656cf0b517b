import { isName, PIECE, stringEnd } from './scan.js'

/**
 * Maximum number of different names in a text. A judging policy has 1,000 weights; other files have fewer
 * names, repeated often.
 */
const MAX_NAMES = 10_000
/**
 * Maximum number of lists and objects in a text. It grows by one for each `MIN_CHARACTERS_PER_VALUE`
 * characters of the text.
 */
const MAX_VALUES = 10_000
const MIN_CHARACTERS_PER_VALUE = 16

/**
 * Finds the reason why a text is too expensive for `JSON.parse`, which cannot yield: too many names or values.
 * Such a text takes many times as long as an honest one of that length. The text need not be JSON. The search
 * runs in steps of half a millisecond.
 *
 * @returns description of the limit that the text exceeds; undefined for other texts
 */
export function* excessSteps(text: string): Generator<undefined, string | undefined> {
  const names = new Set<string>()
  const maxValues = MAX_VALUES + text.length / MIN_CHARACTERS_PER_VALUE
  let values = 0
  for (let at = 0, pause = PIECE; at < text.length; at++) {
    if (at >= pause) {
      yield
      pause = at + PIECE
    }
    if (text[at] === '{' || text[at] === '[') values++
    if (values > maxValues) return `at most ${Math.floor(maxValues)} lists and objects`
    if (text[at] !== '"') continue
    const end = stringEnd(text, at)
    if (isName(text, end)) names.add(text.slice(at, end))
    if (names.size > MAX_NAMES) return `at most ${MAX_NAMES} different names`
    at = end - 1
  }
  return undefined
}
