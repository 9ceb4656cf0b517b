const thousands = new Intl.NumberFormat('en-US')

/** Formats a number as `1,024`. */
export function count(number: number): string {
  return thousands.format(Math.round(number))
}

/** Formats a number with its noun, as `1 message` or `2 messages`. */
export function countOf(number: number, one: string, many = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : many}`
}

/** Formats positions in a log as `position 7` or `positions 7 to 1,024`. */
export function positionsText({ first, last }: { readonly first: number; readonly last: number }): string {
  return first === last ? `position ${count(first)}` : `positions ${count(first)} to ${count(last)}`
}

/** Formats a duration as `7 s` or `3 min 20 s`. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${count(Math.floor(whole / 3600))} h ${Math.floor((whole % 3600) / 60)} min`
}

const BAR_LENGTH = 20

/** Formats a share as a bar, `████████████░░░░░░░░ 60 %`. */
export function bar(share: number): string {
  const part = Math.max(0, Math.min(1, share))
  const full = Math.floor(BAR_LENGTH * part)
  return `${'█'.repeat(full)}${'░'.repeat(BAR_LENGTH - full)} ${Math.floor(100 * part)} %`
}

/** Shortens a long hexadecimal text to its first 12 digits. */
export function short(hex: string): string {
  return hex.length > 13 ? `${hex.slice(0, 12)}…` : hex
}

/** Returns the name of an SDK for its dialect, as `Go` for `go`. */
export function sdkName(dialect: string): string {
  return `${dialect.charAt(0).toUpperCase()}${dialect.slice(1)}`
}
