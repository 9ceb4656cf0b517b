import type { SyncCodec } from './codec.js'

const same = (bytes: Uint8Array) => bytes

/**
 * Returns the default codec, which leaves the core's JSON unchanged.
 *
 * @example
 * ```ts
 * await verifyMessage(message, { keyring, codec: json() })
 * ```
 */
export function json(): SyncCodec {
  return { contentType: 'application/json', encode: same, decode: same }
}
