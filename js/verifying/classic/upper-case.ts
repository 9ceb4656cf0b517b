/**
 * Returns a text in upper case as Go's `strings.ToUpper` writes it: character by character, by Unicode's simple case mapping. JavaScript
 * uses the full mapping, which turns `ß` into `SS`.
 */
export function goUpperCase(text: string): string {
  return Array.from(text, simpleUpperCase).join('')
}

function simpleUpperCase(character: string): string {
  const upper = character.toUpperCase()
  const [first, ...more] = upper
  if (first !== undefined && more.length === 0) return upper
  return String.fromCodePoint(simpleOfExpanding(character.codePointAt(0) as number))
}

/**
 * Returns the simple mapping of a character whose full mapping is several characters. It is the character itself, except for Greek letters
 * with an iota subscript (Unicode, SpecialCasing.txt and UnicodeData.txt).
 */
function simpleOfExpanding(code: number): number {
  if (code >= 0x1f80 && code <= 0x1faf) return code | 8
  return code === 0x1fb3 || code === 0x1fc3 || code === 0x1ff3 ? code + 9 : code
}
