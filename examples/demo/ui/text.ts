/** Formats numbers and bytes as text. */

const counts = new Intl.NumberFormat('en')

/** Formats a count as `12,345`. */
export const count = (number: number): string => counts.format(Math.round(number))

/** Formats a count with its noun, as `1 message` or `2 messages`. */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : many}`

/** Formats microseconds with three significant digits, two below 1, as `24.3 µs` or `1.20 ms`. */
export function micros(value: number): string {
  if (value >= 1000) return millis(value / 1000)
  return `${digits(value)} µs`
}

export function millis(value: number): string {
  if (value >= 1000) return `${digits(value / 1000)} s`
  return value < 1 ? `${digits(value * 1000)} µs` : `${digits(value)} ms`
}

function digits(value: number): string {
  return value >= 100 ? count(value) : value.toPrecision(value < 1 ? 2 : 3)
}

/** Formats a size as `482 bytes` or `1.20 MB`. */
export function size(bytes: number): string {
  if (bytes < 10_000) return `${count(bytes)} bytes`
  return bytes < 1_000_000 ? `${digits(bytes / 1000)} kB` : `${digits(bytes / 1_000_000)} MB`
}

export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Shortens a text to `648f9f59…f7deec`, because people compare keys by their ends. */
export function short(text: string, ends = 8): string {
  return text.length <= 2 * ends + 1 ? text : `${text.slice(0, ends)}…${text.slice(-6)}`
}

export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns whether a text is hexadecimal. A single pattern would overflow the stack at 20 MB. */
function isHex(text: string): boolean {
  return (
    /^[\s0-9a-f]+$/i.test(text) &&
    /\S/.test(text) &&
    text.split(/\s+/).every(({ length }) => length % 2 === 0)
  )
}

/** Returns the bytes of a text: decoded if it is all hexadecimal, otherwise encoded as UTF-8. */
export function bytesIn(text: string): Uint8Array<ArrayBuffer> {
  if (!isHex(text)) return new TextEncoder().encode(text)
  return Uint8Array.from(text.match(/[0-9a-f]{2}/gi) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** Returns bytes as a text for {@link bytesIn}: unchanged if possible, otherwise in hexadecimal. */
export function shownAs(bytes: Uint8Array): string {
  const text = utf8(bytes)
  return text !== undefined && !isHex(text) && !text.includes('\r') ? text : hex(bytes)
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
