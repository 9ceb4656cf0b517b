/** Returns the UTF-8 bytes of a text. */
export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

export const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** Returns a text with one character for each byte, for a search in bytes; ASCII stays as it is. */
export const latin1 = (bytes: Uint8Array): string => new TextDecoder('latin1').decode(bytes)

export const fromHex = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))

export const base64 = (bytes: Uint8Array): string => btoa(latin1Text(bytes))

/** Returns the bytes of a text that has a character for each. */
export const fromLatin1 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(text, (character) => character.charCodeAt(0))

export const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => fromLatin1(atob(text))

/** Writes a character for each byte. TextDecoder's latin1 is Windows-1252, which differs from 128 to 159. */
export const latin1Text = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')

/** Returns base64url without padding, for JWK. */
export const base64url = (bytes: Uint8Array): string =>
  base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')

export function concat(...parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && one.every((byte, at) => byte === other[at])
