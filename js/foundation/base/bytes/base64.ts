/** Number of bytes per call of `String.fromCharCode`, because engines limit the number of arguments. */
const PIECE_BYTES = 8192

/** Encodes bytes as padded standard base64 (RFC 4648 §4). */
export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    // Call `apply`, because spreading the bytes takes three times as long.
    text += String.fromCharCode.apply(undefined, bytes.subarray(at, at + PIECE_BYTES) as unknown as number[])
  }
  return btoa(text)
}

/**
 * Decodes padded standard base64. Accepts only the canonical spelling of the bytes, and otherwise returns
 * undefined.
 */
export function fromBase64(base64: string): Uint8Array | undefined {
  try {
    const text = atob(base64)
    // Compare with the canonical spelling, because `atob` accepts white space, missing padding and stray bits.
    if (btoa(text) !== base64) return undefined
    const bytes = new Uint8Array(text.length)
    for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at)
    return bytes
  } catch {
    return undefined
  }
}
