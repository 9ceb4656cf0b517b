/** Alters a field to another value of the same form, so that only the signature reveals the change. */
import type { Value } from './leaves.ts'

const UPPER_HEX = '0123456789ABCDEF'
const LOWER_HEX = '0123456789abcdef'
const DIGITS = '0123456789'

/** Characters that may replace another one. Each set has an even length, for {@link neighbour}. */
const ALPHABETS: Readonly<Record<string, string>> = {
  messageType: DIGITS,
  signature: LOWER_HEX,
  signer: LOWER_HEX,
  key: UPPER_HEX,
  previousKey: UPPER_HEX,
  timestamp: DIGITS,
  id: '0123456789ABCDEFGHJKMNPQRSTVWXYZ',
  path: LOWER_HEX,
}

/**
 * Values of fields with a fixed vocabulary. Other values, which need a `previousKey` or the length of an
 * MD5 key, would make the message malformed.
 */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  action: ['create', 'transit', 'publish'],
  hash: ['sha256', 'none'],
  layer: ['app', 'cicd', 'os', 'host'],
}

export function flipped(name: string, value: Value): Value {
  if (typeof value === 'boolean') return !value
  const words = WORDS[name]
  if (words) return words[(words.indexOf(value) + 1) % words.length] ?? value
  return neighbour(value, ALPHABETS[name] ?? '')
}

/**
 * Replaces the last of the text's characters that is in `alphabet` by its neighbour there. Without such a
 * character, changes the lowest bit of the text's last character. An empty text becomes `x`.
 */
function neighbour(text: string, alphabet: string): string {
  for (let at = text.length - 1; at >= 0; at--) {
    const place = alphabet.indexOf(text.charAt(at))
    if (place >= 0) return `${text.slice(0, at)}${alphabet[place ^ 1]}${text.slice(at + 1)}`
  }
  if (text === '') return 'x'
  return text.slice(0, -1) + String.fromCharCode(text.charCodeAt(text.length - 1) ^ 1)
}

const ZERO = 0x30
const NINE = 0x39

/**
 * Returns the payload with one bit changed, in its last digit if possible, so that the text stays readable.
 * An empty payload becomes a zero byte.
 */
export function flippedPayload(payload: Uint8Array): Uint8Array<ArrayBuffer> {
  if (payload.length === 0) return new Uint8Array(1)
  const digit = payload.findLastIndex((byte) => byte >= ZERO && byte <= NINE)
  const at = digit < 0 ? payload.length - 1 : digit
  return Uint8Array.from(payload, (byte, n) => (n === at ? byte ^ 1 : byte))
}
