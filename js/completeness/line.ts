/** So much of what came as an error shows. */
const SHOWN = 80

/** A line as it came, for people. */
export function line(text: string | undefined): string {
  if (text === undefined) return 'none'
  return JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text)
}
