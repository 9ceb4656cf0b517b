/** More of a list would hide what it is about. */
const MOST = 8

/** Texts one after the other, and of many how many more there are. */
export function someOf(texts: readonly string[]): string {
  const shown = texts.slice(0, MOST).map((text) => text || '""')
  const left = texts.length - shown.length
  return left > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(', ')
}
