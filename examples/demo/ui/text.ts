/** Numbers and bytes as text, the same everywhere. */

const counts = new Intl.NumberFormat('en')

/** `12,345` */
export const count = (number: number): string => counts.format(Math.round(number))

/** `1 message`, `2 messages` */
export const counted = (number: number, one: string, many = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : many}`

/** `24.3 µs`, `1.2 ms`: three significant digits. */
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

/** `482 bytes`, `1.2 MB` */
export function size(bytes: number): string {
  if (bytes < 10_000) return `${count(bytes)} bytes`
  return bytes < 1_000_000 ? `${digits(bytes / 1000)} kB` : `${digits(bytes / 1_000_000)} MB`
}

/** Lower-case hexadecimal. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** `648f9f59…f7deec`: the ends by which people tell keys apart. */
export function short(text: string, ends = 8): string {
  return text.length <= 2 * ends + 1 ? text : `${text.slice(0, ends)}…${text.slice(-6)}`
}

/** UTF-8 text, or undefined for bytes that are none. */
export function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Returns whether a text is bytes in hexadecimal, two digits each. One expression for that has no stack for 20 MB. */
function isHex(text: string): boolean {
  return (
    /^[\s0-9a-f]+$/i.test(text) &&
    /\S/.test(text) &&
    text.split(/\s+/).every(({ length }) => length % 2 === 0)
  )
}

/** Bytes that a text stands for: those of its hexadecimal digits if it has nothing else, or else its own. */
export function bytesIn(text: string): Uint8Array<ArrayBuffer> {
  if (!isHex(text)) return new TextEncoder().encode(text)
  return Uint8Array.from(text.match(/[0-9a-f]{2}/gi) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** Bytes as a text from which {@link bytesIn} gives them again: as they are if they are text, else in hexadecimal. */
export function shownAs(bytes: Uint8Array): string {
  const text = utf8(bytes)
  return text !== undefined && !isHex(text) && !text.includes('\r') ? text : hex(bytes)
}

/** Returns whether a text is JSON. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
