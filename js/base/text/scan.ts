import { atOnce } from '../time/steps.js'

/** Where the JSON string that begins at `at` ends: behind its closing quotation mark, or with the text. */
export function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end + 1
  }
  return text.length
}

/** How many strings there are in a valid JSON text, names of members included; counted no further than to `most`. */
export function stringCount(json: string, most: number): number {
  let count = 0
  for (let at = json.indexOf('"'); at >= 0 && count < most; at = json.indexOf('"', stringEnd(json, at)))
    count++
  return count
}

/** Of a whole text. A judging policy has 1,000 weights; other files have fewer names, each of them often. */
const MOST_NAMES = 10_000
/** So many lists and objects may be in any text, and in a longer one as many as it has characters by this. */
const MOST_VALUES = 10_000
const LEAST_CHARACTERS = 16
/** So many characters are looked at in about half a millisecond. */
const PIECE = 16_384

/** What a look over a text of JSON finds before it is parsed, which cannot be done in turns. */
export interface JsonFindings {
  /** Where an object has a name again: `JSON.parse` takes the last one, and another reader maybe the first. True of valid JSON. */
  readonly second?: number | undefined
  /** What would take many times as long to parse as an honest text of its length; as it is expected. */
  readonly excess?: string | undefined
}

/** Where an object of a valid JSON text has a name again. */
export function secondName(json: string): number | undefined {
  return atOnce(findingSteps(json)).second
}

/** Looks over a text in steps of half a millisecond. Whatever is too much in it ends the look. */
export function* findingSteps(json: string): Generator<undefined, JsonFindings> {
  const names = new Names(json)
  let values = 0
  const mostValues = MOST_VALUES + json.length / LEAST_CHARACTERS
  for (let at = 0, pause = PIECE; at < json.length; at++) {
    if (at >= pause) {
      yield
      pause = at + PIECE
    }
    const code = json.charCodeAt(at)
    if (code === QUOTATION_MARK) at = names.behind(at) - 1
    else if (code === BRACE || code === BRACKET) values++
    if (code === BRACE) names.begin()
    else if (code === CLOSING_BRACE) names.end()
    if (names.areTooMany) return { excess: `at most ${MOST_NAMES} different names` }
    if (values > mostValues) return { excess: `at most ${Math.floor(mostValues)} lists and objects` }
  }
  return { second: names.second }
}

const QUOTATION_MARK = 0x22
const BRACKET = 0x5b
const BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/** The names of all objects of a text. */
class Names {
  second: number | undefined
  readonly #json: string
  readonly #all = new Set<string>()
  readonly #objects: (Set<string> | undefined)[] = []

  constructor(json: string) {
    this.#json = json
  }

  get areTooMany(): boolean {
    return this.#all.size > MOST_NAMES
  }

  begin(): void {
    this.#objects.push(undefined)
  }

  end(): void {
    this.#objects.pop()
  }

  /** Behind the string that begins there; if it is a name, with that noted. */
  behind(at: number): number {
    const end = stringEnd(this.#json, at)
    const last = this.#objects.length - 1
    if (last < 0 || !isName(this.#json, end)) return end
    const name = unescaped(this.#json.slice(at, end))
    const names = this.#objects[last] ?? new Set()
    if (names.has(name)) this.second ??= at
    this.#objects[last] = names.add(name)
    this.#all.add(name)
    return end
  }
}

/** One name can be written in many ways. A text of YAML has strings that JSON has not. */
function unescaped(written: string): string {
  if (!written.includes('\\')) return written.slice(1, -1)
  try {
    return JSON.parse(written)
  } catch {
    return written
  }
}

/** Whether the string that ends there has a colon behind it. */
function isName(json: string, end: number): boolean {
  COLON.lastIndex = end
  return COLON.test(json)
}

const COLON = /\s*:/y
