import { keyOf } from '../core/hashing.js'

/** SHA-256, as 64 lower-case hexadecimal digits. */
export function digestOf(bytes: Uint8Array): string {
  return keyOf(bytes).toLowerCase()
}
