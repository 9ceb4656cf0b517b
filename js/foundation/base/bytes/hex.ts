/**
 * Encodes bytes as lower-case hexadecimal, the form of key files and signatures.
 *
 * @example
 * ```ts
 * toHex(Uint8Array.of(1, 0xab)) // '01ab'
 * ```
 */
export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at++) text += PAIRS[bytes[at] as number]
  return text
}

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Decodes hexadecimal in either case. Returns undefined if the text is not hexadecimal. */
export function toBytes(hex: string): Uint8Array | undefined {
  if (hex.length % 2 !== 0) return undefined
  const bytes = new Uint8Array(hex.length / 2)
  for (let at = 0; at < bytes.length; at++) {
    const [high, low] = [fourBits(hex.charCodeAt(2 * at)), fourBits(hex.charCodeAt(2 * at + 1))]
    if (high < 0 || low < 0) return undefined
    bytes[at] = 16 * high + low
  }
  return bytes
}

/** Returns the value of a hexadecimal digit from its character code. Returns -1 for any other character. */
export function fourBits(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : -1
}
