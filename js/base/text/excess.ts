import { isName, PIECE, stringEnd } from './scan.js'

/** Of a whole text. A judging policy has 1,000 weights; other files have fewer names, each of them often. */
const MOST_NAMES = 10_000
/** So many lists and objects may be in any text, and in a longer one as many as it has characters by this. */
const MOST_VALUES = 10_000
const LEAST_CHARACTERS = 16

/**
 * What there is too much of in a text to parse it as JSON, which cannot be done in turns: it would take many times as long as an honest text
 * of that length. The text may be anything else. In steps of half a millisecond.
 *
 * @returns what is expected in place of it
 */
export function* excessSteps(text: string): Generator<undefined, string | undefined> {
  const names = new Set<string>()
  const mostValues = MOST_VALUES + text.length / LEAST_CHARACTERS
  let values = 0
  for (let at = 0, pause = PIECE; at < text.length; at++) {
    if (at >= pause) {
      yield
      pause = at + PIECE
    }
    if (text[at] === '{' || text[at] === '[') values++
    if (values > mostValues) return `at most ${Math.floor(mostValues)} lists and objects`
    if (text[at] !== '"') continue
    const end = stringEnd(text, at)
    if (isName(text, end)) names.add(text.slice(at, end))
    if (names.size > MOST_NAMES) return `at most ${MOST_NAMES} different names`
    at = end - 1
  }
  return undefined
}
