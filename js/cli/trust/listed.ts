/** Maximum number of texts shown of a list: more would hide the sentence around it. */
const MAX_TEXTS = 8

/** Joins the first texts of a list, and the number of the others. */
export function joinFirst(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_TEXTS).map((text) => text || '""')
  const left = texts.length - shown.length
  return left > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(', ')
}
