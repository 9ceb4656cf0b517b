import { isSpace, secretBytes, trimBytes } from '../secret.js'

/** Base64 digits for the values 62 and 63: `+/` (RFC 4648 §4), or `-_` in URLs (§5). */
export type LastDigits = '+/' | '-_'

const PADDING = 0x3d

/**
 * Decodes base64, and ignores white space. Returns undefined for invalid text. Does not use `atob`,
 * because a string with a key cannot be wiped.
 */
export function decodeBase64(text: Uint8Array, last: LastDigits): Uint8Array<ArrayBuffer> | undefined {
  const digits = withoutPadding(text)
  const bytes = secretBytes((digits.length * 3) >> 2)
  let [accumulator, bits, length] = [0, 0, 0]
  for (const code of digits) {
    if (isSpace(code)) continue
    const six = sixBits(code, last)
    if (six < 0) return wipe(bytes)
    accumulator = ((accumulator << 6) | six) & 0xfff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[length++] = accumulator >> bits
  }
  return bits < 6 ? bytes.subarray(0, length) : wipe(bytes)
}

function sixBits(code: number, last: LastDigits): number {
  if (code >= 0x41 && code <= 0x5a) return code - 0x41
  if (code >= 0x61 && code <= 0x7a) return code - 0x61 + 26
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 52
  if (code === last.charCodeAt(0)) return 62
  return code === last.charCodeAt(1) ? 63 : -1
}

/** Removes one or two characters of padding, if there are any: some programs omit padding. */
function withoutPadding(text: Uint8Array): Uint8Array {
  const digits = trimBytes(text)
  const tail = digits.subarray(-2)
  const padding = tail[1] !== PADDING ? 0 : tail[0] !== PADDING ? 1 : 2
  return digits.subarray(0, digits.length - padding)
}

function wipe(bytes: Uint8Array): undefined {
  bytes.fill(0)
}
