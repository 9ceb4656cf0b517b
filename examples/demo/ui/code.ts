/** Pattern of characters that a terminal interprets or that are invisible. */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const EVERY_UNSEEN = new RegExp(UNSEEN, 'gu')

/** Returns a JavaScript string literal. Escapes invisible characters and the end of a script element. */
export function quoted(text: string): string {
  const json = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  return `'${json.replaceAll("'", "\\'").replaceAll('</', '<\\/').replace(EVERY_UNSEEN, escaped)}'`
}

/** Escapes a character as UTF-16 code units, because some invisible characters are above U+FFFF. */
function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
}
