/** What a pattern is made of: a star that stands for any characters, or characters that stand for themselves. */
const PIECE = /\\([*\\])|(\*)|([^\\*]+)/gy

/** So many texts are compared one by one, before anything is hashed or matched. */
const FEW = 8

/** Whether a text of a policy can be read: behind `\` stands `*` or `\`. */
export function isPattern(text: string): boolean {
  return /^(?:[^\\]|\\[*\\])*$/s.test(text)
}

/**
 * Texts of which each is allowed. The rules:
 *
 * 1. a text stands for itself, byte for byte: upper and lower case differ, and nothing is normalised;
 * 2. `*` stands for any characters, however many, none included;
 * 3. `\*` stands for a star, and `\\` for `\`;
 * 4. all of a text has to match, not a part of it;
 * 5. an empty list allows nothing, and a missing one everything.
 */
export class Texts {
  /** As the policy has them. */
  readonly written: readonly string[]
  readonly #exact: ReadonlyMap<string, string>
  readonly #patterns: Patterns
  /** What was allowed first: signers say the same few things again and again. */
  readonly #few: string[] = []

  constructor(written: readonly string[]) {
    this.written = written
    const read = written.map((entry) => ({ entry, pieces: piecesOf(entry) }))
    const exact = read.filter(({ pieces }) => pieces.length === 1)
    this.#exact = new Map(exact.map(({ entry, pieces }) => [pieces[0] as string, entry]))
    this.#patterns = new Patterns(read.filter(({ pieces }) => pieces.length > 1))
  }

  allows(text: string): boolean {
    // A loop of our own: all bundles pass here, and what is built in takes three times as long for so few.
    for (let at = 0; at < this.#few.length; at++) if (this.#few[at] === text) return true
    const isAllowed = this.entryFor(text) !== undefined
    if (isAllowed && this.#few.length < FEW) this.#few.push(text)
    return isAllowed
  }

  /** The entry by which a text is allowed. */
  entryFor(text: string): string | undefined {
    return this.#exact.get(text) ?? this.#patterns.entryFor(text)
  }
}

interface Pattern {
  readonly entry: string
  /** What stands between its stars. */
  readonly pieces: readonly string[]
}

/** Patterns by what they begin with, or else end with: of thousands, a text is compared with few. */
class Patterns {
  readonly #byBegin = new Index((text, length) => text.slice(0, length))
  readonly #byEnd = new Index((text, length) => text.slice(text.length - length))

  constructor(patterns: readonly Pattern[]) {
    for (const pattern of patterns) {
      const [begin, end] = [pattern.pieces[0] as string, pattern.pieces.at(-1) as string]
      if (begin === '') this.#byEnd.add(end, pattern)
      else this.#byBegin.add(begin, pattern)
    }
  }

  /** A pattern that matches. */
  entryFor(text: string): string | undefined {
    return this.#byBegin.entryFor(text) ?? this.#byEnd.entryFor(text)
  }
}

/** Patterns by one end of theirs, whose lengths are few. */
class Index {
  readonly #endOf: (text: string, length: number) => string
  readonly #patterns = new Map<number, Map<string, Pattern[]>>()

  constructor(endOf: (text: string, length: number) => string) {
    this.#endOf = endOf
  }

  add(end: string, pattern: Pattern): void {
    const ofLength = this.#patterns.get(end.length) ?? new Map<string, Pattern[]>()
    this.#patterns.set(end.length, ofLength)
    const others = ofLength.get(end)
    if (others) others.push(pattern)
    else ofLength.set(end, [pattern])
  }

  entryFor(text: string): string | undefined {
    for (const [length, ofLength] of this.#patterns) {
      const some = length <= text.length ? ofLength.get(this.#endOf(text, length)) : undefined
      const found = some?.find(({ pieces }) => matches(pieces, text))
      if (found) return found.entry
    }
    return undefined
  }
}

function piecesOf(entry: string): string[] {
  const pieces = ['']
  for (const [, escaped, star, text] of entry.matchAll(PIECE)) {
    if (star) pieces.push('')
    else pieces.push(`${pieces.pop()}${escaped ?? text}`)
  }
  return pieces
}

/** What stands between stars may be found as early as it can: what comes later fits then, if it fits at all. */
function matches(pieces: readonly string[], text: string): boolean {
  const [first, last] = [pieces[0] as string, pieces.at(-1) as string]
  const end = text.length - last.length
  if (first.length > end || !text.startsWith(first) || !text.endsWith(last)) return false
  let at = first.length
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at)
    if (found < 0 || found + piece.length > end) return false
    at = found + piece.length
  }
  return true
}
