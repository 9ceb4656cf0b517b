import * as v from 'valibot'

/** Maximum number of stars in a pattern (FORMAT.md, Limits). */
const MAX_STARS = 8
/** Maximum number of patterns in a list that are neither `text*` nor `*text` (FORMAT.md, Limits). */
const MAX_SEARCHES = 8

/** Part of a pattern: an escaped character, a star for any characters, or characters that stand for themselves. */
const PART = /\\([*\\])|(\*)|([^\\*]+)/gy

/** Checks a pattern: `*` or `\` comes after each `\`, and it has few enough stars to be matched in little time. */
export const patternChecks = [
  v.check((text: string) => /^(?:[^\\]|\\[*\\])*$/s.test(text), 'a text with * or \\ after each \\'),
  v.check((text: string) => piecesOf(text).length - 1 <= MAX_STARS, `at most ${MAX_STARS} stars`),
] as const

/** Checks that a list has few enough patterns to be matched in little time. */
export const hasFewSearches = v.check(
  (list: string[]) =>
    list.filter((one) => one.includes('*') && isGeneral(piecesOf(one))).length <= MAX_SEARCHES,
  `at most ${MAX_SEARCHES} patterns other than text* and *text`,
)

/** Returns the texts between the stars of a pattern: one more text than there are stars. */
export function piecesOf(pattern: string): string[] {
  if (!/[*\\]/.test(pattern)) return [pattern]
  const pieces = ['']
  for (const [, escaped, star, text] of pattern.matchAll(PART)) {
    if (star) pieces.push('')
    else pieces.push(`${pieces.pop()}${escaped ?? text}`)
  }
  return pieces
}

/** Returns whether matching needs a search: the pattern has a star, and is neither `text*` nor `*text`. */
export function isGeneral(pieces: readonly string[]): boolean {
  return pieces.length > 2 || (pieces.length === 2 && !pieces.includes(''))
}

export class PatternMatcher {
  readonly entry: string
  readonly #begin: string
  readonly #end: string
  readonly #between: readonly SubstringSearch[]

  constructor(entry: string, pieces: readonly string[]) {
    this.entry = entry
    this.#begin = pieces[0] as string
    this.#end = pieces.at(-1) as string
    this.#between = pieces
      .slice(1, -1)
      .filter((text) => text !== '')
      .map((text) => new SubstringSearch(text))
  }

  /**
   * Returns whether the pattern matches a text. Finds each text between two stars at its earliest place, which
   * leaves the most characters for the texts after it.
   */
  matches(text: string): boolean {
    const end = text.length - this.#end.length
    if (this.#begin.length > end || !text.startsWith(this.#begin) || !text.endsWith(this.#end)) return false
    let at = this.#begin.length
    for (const piece of this.#between) {
      at = piece.endIn(text, at, end)
      if (at < 0) return false
    }
    return true
  }
}

/**
 * Search for a text by the algorithm of Knuth, Morris and Pratt, in time proportional to the length of the
 * searched text. The built-in search can take time proportional to the product of both lengths.
 */
class SubstringSearch {
  readonly #text: string
  /** Failure function: for each length of a prefix, the length of its longest proper suffix that is a prefix, too. */
  readonly #shorter: Int32Array

  /** @param text - text to search for, at least one character */
  constructor(text: string) {
    this.#text = text
    this.#shorter = new Int32Array(text.length + 1)
    this.#shorter[0] = -1
    for (let at = 0; at < text.length; at++) {
      this.#shorter[at + 1] = this.#next(this.#shorter[at] as number, text.charCodeAt(at))
    }
  }

  /** Returns the position after the first occurrence between two positions; -1 if there is none. */
  endIn(text: string, from: number, until: number): number {
    let length = 0
    for (let at = from; at < until; at++) {
      length = this.#next(length, text.charCodeAt(at))
      if (length === this.#text.length) return at + 1
    }
    return -1
  }

  /**
   * Returns the length of the longest prefix of `#text` with which the searched text ends after the character
   * `code`.
   *
   * @param known - length of the longest prefix with which the text before `code` ends
   */
  #next(known: number, code: number): number {
    let length = known
    while (length >= 0 && this.#text.charCodeAt(length) !== code) length = this.#shorter[length] as number
    return length + 1
  }
}
