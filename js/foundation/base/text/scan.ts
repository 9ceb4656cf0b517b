import { runSync } from '../time/turns.js'
import { quote } from './text.js'

/** Returns the index after the JSON string that begins at `at`, or the end of the text if the string is not closed. */
export function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end + 1
  }
  return text.length
}

/** Counts the strings of a valid JSON text, including the names of members, up to `maxCount`. */
export function stringCount(json: string, maxCount: number): number {
  let count = 0
  for (let at = json.indexOf('"'); at >= 0 && count < maxCount; at = json.indexOf('"', stringEnd(json, at)))
    count++
  return count
}

/** Number of characters that are scanned in about half a millisecond. */
const STEP_CHARACTERS = 16_384

/** Returns the index of the first repeated name in an object of valid JSON. Readers differ in which value they use. */
export function findRepeatedName(json: string): number | undefined {
  return runSync(secondNameSteps(json))
}

/** Finds a repeated name like {@link findRepeatedName}, and yields about every half millisecond. */
export function* secondNameSteps(json: string): Generator<undefined, number | undefined> {
  const objects: Set<string>[] = []
  for (let at = 0, pause = STEP_CHARACTERS; at < json.length; at++) {
    if (at >= pause) {
      yield
      pause = at + STEP_CHARACTERS
    }
    if (json[at] === '{') objects.push(new Set())
    if (json[at] === '}') objects.pop()
    if (json[at] !== '"') continue
    const end = stringEnd(json, at)
    const names = objects.at(-1)
    if (names && isName(json, end)) {
      const name = JSON.parse(json.slice(at, end))
      if (names.has(name)) return at
      names.add(name)
    }
    at = end - 1
  }
  return undefined
}

/** Quotes the name that begins at `at`, for an error. Describes a name that may be a secret. */
export function quotedNameAt(json: string, at: number): string {
  return quote(JSON.parse(json.slice(at, stringEnd(json, at))))
}

/** Returns whether the JSON string that ends at `end` is a name, that is, whether a colon follows it. */
function isName(json: string, end: number): boolean {
  const colon = /\s*:/y
  colon.lastIndex = end
  return colon.test(json)
}

/** Maximum number of different names in a JSON text. A policy for scores has 1,000; other files have fewer. */
const MAX_NAMES = 10_000
/** Maximum number of lists and objects in a text, in addition to one for each `MIN_CHARACTERS_PER_VALUE` characters. */
const MAX_VALUES = 10_000
const MIN_CHARACTERS_PER_VALUE = 16

/**
 * Checks whether a text has too many names, lists or objects for `JSON.parse`, which cannot yield. Parsing a
 * text with too many would take many times as long as parsing a usual text of that length. The text need not
 * be JSON. The check yields about every half millisecond.
 *
 * @returns description of the limit that the text exceeds; undefined for other texts
 */
export function* excessSteps(text: string): Generator<undefined, string | undefined> {
  const names = new Set<string>()
  const maxValues = MAX_VALUES + text.length / MIN_CHARACTERS_PER_VALUE
  let values = 0
  for (let at = 0, pause = STEP_CHARACTERS; at < text.length; at++) {
    if (at >= pause) {
      yield
      pause = at + STEP_CHARACTERS
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
