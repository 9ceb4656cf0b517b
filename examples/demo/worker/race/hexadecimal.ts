const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Returns lower-case hexadecimal from a table, the fastest way in plain JavaScript. */
export function hexOf(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += PAIRS[byte]
  return text
}

export function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) =>
    Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16),
  )
}
