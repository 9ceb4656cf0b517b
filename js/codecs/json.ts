import type { Codec } from './codec.js'

const same = (bytes: Uint8Array) => bytes

/** JSON, as the core writes it: the default. */
export function json(): Codec {
  return { contentType: 'application/json', encode: same, decode: same }
}
