import type { SyncCodec } from './codec.js'

const same = (bytes: Uint8Array) => bytes

/**
 * Returns the codec for JSON, as the core writes it: the default.
 *
 * @example
 * ```ts
 * await verifyMessage(message, { keyring, codec: json() })
 * ```
 */
export function json(): SyncCodec {
  return { contentType: 'application/json', encode: same, decode: same }
}
