import { atOnce } from '../time/steps.js'

/**
 * Returns the end of the JSON string that begins at `at`: the index after its closing quotation mark, or the
 * end of the text.
 */
export function stringEnd(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text[end - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return end + 1
  }
  return text.length
}

/** Counts the strings of a valid JSON text, names of members included, up to `most`. */
export function stringCount(json: string, most: number): number {
  let count = 0
  for (let at = json.indexOf('"'); at >= 0 && count < most; at = json.indexOf('"', stringEnd(json, at)))
    count++
  return count
}

/** Number of characters that are scanned in about half a millisecond. */
export const PIECE = 16_384

/**
 * Finds a repeated name in an object of a valid JSON text: `JSON.parse` uses the last one, and another reader
 * may use the first.
 */
export function secondName(json: string): number | undefined {
  return atOnce(secondNameSteps(json))
}

/** Finds a repeated name as {@link secondName} does, in steps of half a millisecond. */
export function* secondNameSteps(json: string): Generator<undefined, number | undefined> {
  const objects: Set<string>[] = []
  for (let at = 0, pause = PIECE; at < json.length; at++) {
    if (at >= pause) {
      yield
      pause = at + PIECE
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

/** Returns whether a colon follows the string that ends at `end`. */
export function isName(json: string, end: number): boolean {
  const colon = /\s*:/y
  colon.lastIndex = end
  return colon.test(json)
}
