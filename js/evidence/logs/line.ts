/** Characters of a line that an error quotes. */
const MAX_QUOTED = 80

/** Quotes a line for an error. */
export function quoteLine(text: string | undefined): string {
  if (text === undefined) return 'none'
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text)
}
