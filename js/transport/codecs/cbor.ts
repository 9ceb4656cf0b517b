import { assertBytes } from '../../foundation/base/errors.js'
import { type Core, withCore } from '../../foundation/core/core.js'
import { assertShort } from './checked.js'
import type { SyncCodec } from './codec.js'

/**
 * Returns a codec for CBOR (RFC 8949), with about half the bytes of JSON, for small links and archives. Members are numbers, and hexadecimal text
 * is bytes. A batch has a seventh of the bytes, about 40 for a bundle of one annotation: members that its bundles share are there once, and ids
 * and times are differences. It converts messages of this SDK and nothing else, both ways.
 *
 * @example
 * ```ts
 * await using sdk = await openSdk({ signingKey, annotators, stream, codec: cbor() })
 * const { message } = await sdk.create(payload)
 * await verifyMessage(message, { keyring, codec: cbor() })
 * ```
 */
export function cbor(): SyncCodec {
  return {
    contentType: 'application/cbor',
    encode: (message) => convertInCore(message, (core) => core.cborOf(message)),
    decode: (bytes) => convertInCore(bytes, (core) => core.jsonOf(bytes)),
  }
}

/** Converts a message in the core. Checks its type and length first, because the core's memory never shrinks. */
function convertInCore(message: Uint8Array, convert: (core: Core) => Uint8Array): Uint8Array {
  assertBytes(message, 'message')
  assertShort(message)
  return withCore(convert)
}
