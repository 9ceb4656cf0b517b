/*
 * The elements of signed bytes (FORMAT.md, Identity bytes). Each text follows its length, so no character can move from one text to
 * the next.
 */

const encoder = new TextEncoder()

/** Encodes a text after its length in bytes. */
export function withLength(text: string): Uint8Array {
  const bytes = encoder.encode(text)
  const both = new Uint8Array(4 + bytes.length)
  both.set(u32(bytes.length))
  both.set(bytes, 4)
  return both
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
