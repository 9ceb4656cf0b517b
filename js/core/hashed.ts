import { withCore } from './core.js'

/** SHA-256 of pieces of so many bytes, each behind a byte that says what it is, or behind nothing: the core takes four at a time. */
export function hashed(pieces: Uint8Array, bytes: number, prefix?: number): Uint8Array {
  const count = pieces.length / bytes
  if (count === 0) return new Uint8Array(0)
  const begun = prefix === undefined ? 0 : 1
  const length = begun + bytes
  const texts = begun === 0 ? pieces : new Uint8Array(count * length)
  for (let at = 0; begun === 1 && at < count; at++) {
    texts[at * length] = prefix as number
    texts.set(pieces.subarray(at * bytes, (at + 1) * bytes), at * length + 1)
  }
  return withCore((core) => core.sha256Many(texts, new Uint32Array(count).fill(length)))
}
