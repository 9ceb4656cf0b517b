import { assertBytes } from '../../foundation/base/errors.js'
import { type Core, withCore } from '../../foundation/core/core.js'
import { assertShort } from './checked.js'
import type { SyncCodec } from './codec.js'

/**
 * Returns a codec for CBOR (RFC 8949), for slow links and archives. Messages have about half the bytes of
 * JSON, because numbers replace the member names and bytes replace hexadecimal text. A batch has about a
 * seventh of the bytes of JSON, because members that its bundles share are written once. A bundle of a batch
 * with one annotation takes about 40 bytes. The codec converts only messages of this SDK.
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

/** Converts a message in the core. Limits the length first, because WebAssembly memory never shrinks. */
function convertInCore(message: Uint8Array, convert: (core: Core) => Uint8Array): Uint8Array {
  assertBytes(message, 'message')
  assertShort(message)
  return withCore(convert)
}
