/** Whether a string is Unicode, without halves of pairs. `String.prototype.isWellFormed` is newer than browsers that have all else. */
export function isWellFormed(text: string & { isWellFormed?(): boolean }): boolean {
  return text.isWellFormed?.() ?? !/\p{Surrogate}/u.test(text)
}

/** The URL, if it is one. `URL.canParse` is newer too. */
export function urlIn(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

/** Whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
