import { countBefore } from '../base/search.js'
import { Piece } from './piece.js'

/** FORMAT.md, Limits: stars in one pattern. */
export const MAX_STARS = 8
/** FORMAT.md, Limits: patterns in one list that are neither `text*` nor `*text`. */
export const MAX_SEARCHES = 8

/** The same bounds in words, for errors. */
export const FEW_STARS = `at most ${MAX_STARS} stars`
export const FEW_SEARCHES = `at most ${MAX_SEARCHES} patterns other than text* and *text`

/** A part of a pattern: an escaped character, a star that stands for any characters, or characters that stand for themselves. */
const TOKEN = /\\([*\\])|(\*)|([^\\*]+)/gy

/** Allowed texts that a list remembers: they are compared one by one, before anything is hashed or matched. */
const MAX_REMEMBERED = 8

/** Whether a text of a policy can be read: behind `\` stands `*` or `\`. */
export function isPattern(text: string): boolean {
  return /^(?:[^\\]|\\[*\\])*$/s.test(text)
}

/** Whether a pattern can be compared: its stars are at most {@link MAX_STARS}. */
export function hasFewStars(text: string): boolean {
  return !text.includes('*') || starsIn(tokensOf(text)) <= MAX_STARS
}

/** Whether a list can be compared: at most {@link MAX_SEARCHES} of its patterns have to be searched for. */
export function hasFewSearches(list: readonly string[]): boolean {
  let count = 0
  for (const text of list) if (text.includes('*') && isSearched(tokensOf(text))) count++
  return count <= MAX_SEARCHES
}

/**
 * Texts of which each is allowed. The rules:
 *
 * 1. a text stands for itself, byte for byte: upper and lower case differ, and nothing is normalised;
 * 2. `*` stands for any characters, however many, none included;
 * 3. `\*` stands for a star, and `\\` for `\`;
 * 4. all of a text has to match, not a part of it;
 * 5. an empty list allows nothing, and a missing one everything.
 *
 * However many there are, a text is looked up twice and searched {@link MAX_SEARCHES} times, each in time in proportion to its length.
 */
export class Texts {
  /** As the policy has them. */
  readonly written: readonly string[]
  readonly #exact = new Map<string, string>()
  readonly #beginnings: Beginnings
  /** Those of `*text`, backwards. */
  readonly #ends: Beginnings
  readonly #searches: Search[] = []
  /** What was allowed first: signers say the same few things again and again. */
  readonly #remembered: string[] = []

  constructor(written: readonly string[]) {
    this.written = written
    const [beginnings, ends] = [new Map<string, string>(), new Map<string, string>()]
    for (const entry of written) {
      const tokens = tokensOf(entry)
      const [text] = tokens.filter(({ isStar }) => !isStar)
      const simple = text?.text ?? ''
      if (!tokens.some(({ isStar }) => isStar)) this.#exact.set(simple, entry)
      else if (isSearched(tokens)) this.#searches.push(new Search(entry, tokens))
      else if (tokens.at(-1)?.isStar) beginnings.set(simple, entry)
      else ends.set(backwards(simple), entry)
    }
    this.#beginnings = new Beginnings(beginnings)
    this.#ends = new Beginnings(ends)
  }

  allows(text: string): boolean {
    // A loop of our own: all bundles pass here, and what is built in takes three times as long for so few.
    for (let at = 0; at < this.#remembered.length; at++) if (this.#remembered[at] === text) return true
    const isAllowed = this.entryFor(text) !== undefined
    if (isAllowed && this.#remembered.length < MAX_REMEMBERED) this.#remembered.push(text)
    return isAllowed
  }

  /** The entry by which a text is allowed. */
  entryFor(text: string): string | undefined {
    return (
      this.#exact.get(text) ??
      this.#beginnings.entryFor(text) ??
      (this.#ends.size > 0 ? this.#ends.entryFor(backwards(text)) : undefined) ??
      this.#searches.find((one) => one.matches(text))?.entry
    )
  }
}

interface Token {
  readonly isStar: boolean
  /** What it stands for, if it is no star. */
  readonly text: string
}

function tokensOf(entry: string): Token[] {
  if (!/[*\\]/.test(entry)) return [{ isStar: false, text: entry }]
  const tokens: Token[] = []
  for (const [, escaped, star, plain = ''] of entry.matchAll(TOKEN)) {
    const last = tokens.at(-1)
    if (star) tokens.push({ isStar: true, text: '' })
    else if (last && !last.isStar)
      tokens.splice(-1, 1, { isStar: false, text: `${last.text}${escaped ?? plain}` })
    else tokens.push({ isStar: false, text: escaped ?? plain })
  }
  return tokens
}

function starsIn(tokens: readonly Token[]): number {
  return tokens.filter(({ isStar }) => isStar).length
}

/** Whether a pattern is neither `text*` nor `*text`. */
function isSearched(tokens: readonly Token[]): boolean {
  const stars = starsIn(tokens)
  return stars > 1 || (stars === 1 && tokens.length === 3)
}

/** Beginnings of texts, found by halves: none of them begins with another one. */
class Beginnings {
  readonly #sorted: string[] = []
  readonly #entries: ReadonlyMap<string, string>

  /** @param entries - what each was made of */
  constructor(entries: ReadonlyMap<string, string>) {
    this.#entries = entries
    for (const one of [...entries.keys()].sort()) {
      const last = this.#sorted.at(-1)
      if (last === undefined || !one.startsWith(last)) this.#sorted.push(one)
    }
  }

  get size(): number {
    return this.#sorted.length
  }

  entryFor(text: string): string | undefined {
    const count = countBefore(this.#sorted.length, (at) => (this.#sorted[at] as string) <= text)
    const nearest = this.#sorted[count - 1]
    return nearest !== undefined && text.startsWith(nearest) ? this.#entries.get(nearest) : undefined
  }
}

/** A pattern with stars anywhere. */
class Search {
  readonly entry: string
  readonly #begin: string
  readonly #end: string
  readonly #between: readonly Piece[]

  constructor(entry: string, tokens: readonly Token[]) {
    this.entry = entry
    const [first, last] = [tokens[0] as Token, tokens.at(-1) as Token]
    this.#begin = first.text
    this.#end = last.text
    this.#between = tokens.slice(1, -1).flatMap(({ isStar, text }) => (isStar ? [] : [new Piece(text)]))
  }

  /** What stands between stars may be found as early as it can: what comes later fits then, if it fits at all. */
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

function backwards(text: string): string {
  return text.split('').reverse().join('')
}
