/** What a terminal acts on, or what makes text look like another. */
export const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const EVERY_UNSEEN = new RegExp(UNSEEN, 'gu')

/** A text as JavaScript, in single quotes; what would end a script element, or is not seen, is escaped. */
export function quoted(text: string): string {
  const json = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  return `'${json.replaceAll("'", "\\'").replaceAll('</', '<\\/').replace(EVERY_UNSEEN, escaped)}'`
}

/** By its code units: there are such characters beyond 65,535. */
function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`
  }).join('')
}
