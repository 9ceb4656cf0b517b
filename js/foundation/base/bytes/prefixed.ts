/*
 * Encodes the elements of signed bytes (FORMAT.md, Identity bytes). A length precedes each text, so that no character
 * can move from one text to the next.
 */

const encoder = new TextEncoder()

/** Encodes a text in UTF-8, preceded by its length in bytes (32 bits, most significant byte first). */
export function withLength(text: string): Uint8Array {
  const bytes = encoder.encode(text)
  const prefixedBytes = new Uint8Array(4 + bytes.length)
  prefixedBytes.set(u32(bytes.length))
  prefixedBytes.set(bytes, 4)
  return prefixedBytes
}

/** Encodes a number as four bytes, most significant first. */
export function u32(number: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, number)
  return bytes
}

/** Encodes a number as eight bytes, most significant first. */
export function u64(number: number): Uint8Array {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number))
  return bytes
}
