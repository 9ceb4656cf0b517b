import { withCore } from '../core/core.js'

/** Of SHA-256. */
export const HASH_BYTES = 32

/** SHA-256 of bytes. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return withCore((core) => core.sha256Many(bytes, Uint32Array.of(bytes.length)))
}
