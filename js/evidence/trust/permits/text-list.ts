import { countBefore } from '../../../foundation/base/search.js'
import { isGeneral, PatternMatcher, piecesOf } from '../policy/pattern.js'

/** Maximum number of allowed texts to remember. They are compared one by one before anything is hashed or matched. */
const MAX_REMEMBERED = 8

/**
 * List of allowed texts and patterns in a policy. The rules:
 *
 * 1. a text stands for itself, byte for byte: upper and lower case differ, and nothing is normalised;
 * 2. `*` stands for any number of characters, or none;
 * 3. `\*` stands for a star, and `\\` for `\`;
 * 4. an entry must match all of a text, not a part of it;
 * 5. an empty list allows nothing, and a missing list allows everything.
 *
 * A check looks up the whole text, its beginning and its end. It also matches at most eight patterns of other
 * forms, such as `a*b`. Each step takes time proportional to the length of the text.
 */
export class TextList {
  readonly written: readonly string[]
  readonly #exact = new Map<string, string>()
  readonly #beginnings: Prefixes
  /** Reversed endings of patterns such as `*text`, which are prefixes of a reversed text. */
  readonly #ends: Prefixes
  readonly #searches: PatternMatcher[] = []
  /** First texts that a check has allowed. Signers repeat the same few, so that most checks end here. */
  readonly #remembered: string[] = []

  constructor(texts: readonly string[]) {
    this.written = texts
    const [beginnings, ends] = [new Map<string, string>(), new Map<string, string>()]
    for (const entry of texts) {
      const pieces = piecesOf(entry)
      const [begin = '', end = ''] = pieces
      if (pieces.length === 1) this.#exact.set(begin, entry)
      else if (isGeneral(pieces)) this.#searches.push(new PatternMatcher(entry, pieces))
      else if (end === '') beginnings.set(begin, entry)
      else ends.set(backwards(end), entry)
    }
    this.#beginnings = new Prefixes(beginnings)
    this.#ends = new Prefixes(ends)
  }

  allows(text: string): boolean {
    // Use a loop, because this runs for every bundle, and built-in methods take three times as long for so few texts.
    for (let at = 0; at < this.#remembered.length; at++) if (this.#remembered[at] === text) return true
    const isAllowed = this.entryFor(text) !== undefined
    if (isAllowed && this.#remembered.length < MAX_REMEMBERED) this.#remembered.push(text)
    return isAllowed
  }

  entryFor(text: string): string | undefined {
    const simple = this.#exact.get(text) ?? this.#beginnings.entryFor(text)
    const byEnd = () => (this.#ends.isEmpty ? undefined : this.#ends.entryFor(backwards(text)))
    return simple ?? byEnd() ?? this.#searches.find((one) => one.matches(text))?.entry
  }
}

/** Beginnings of allowed texts, as in the pattern `text*`, found by binary search. No entry begins with another. */
class Prefixes {
  readonly #sorted: string[] = []
  readonly #entries: ReadonlyMap<string, string>

  constructor(entries: ReadonlyMap<string, string>) {
    this.#entries = entries
    for (const one of [...entries.keys()].sort()) {
      const last = this.#sorted.at(-1)
      if (last === undefined || !one.startsWith(last)) this.#sorted.push(one)
    }
  }

  get isEmpty(): boolean {
    return this.#sorted.length === 0
  }

  entryFor(text: string): string | undefined {
    const count = countBefore(this.#sorted.length, (at) => (this.#sorted[at] as string) <= text)
    const nearest = this.#sorted[count - 1]
    return nearest !== undefined && text.startsWith(nearest) ? this.#entries.get(nearest) : undefined
  }
}

function backwards(text: string): string {
  return text.split('').reverse().join('')
}
