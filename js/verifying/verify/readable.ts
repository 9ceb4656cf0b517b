import { type AlvariumError, assertBytes, verdictIn } from '../../foundation/base/errors.js'
import { assertShort, decodeMessage } from '../../transport/codecs/checked.js'
import type { Codec } from '../../transport/codecs/codec.js'

/** Decodes a message to JSON. Limits the size before and after decoding. */
export function decodeToJson(message: Uint8Array, codec: Codec | undefined): Uint8Array {
  assertBytes(message, 'message')
  return assertShort(decodeMessage(assertShort(message), codec))
}

/** Decodes a message to JSON like {@link decodeToJson}, but returns the error instead of throwing it. */
export function tryDecode(message: Uint8Array, codec: Codec | undefined): Uint8Array | AlvariumError {
  try {
    return decodeToJson(message, codec)
  } catch (error) {
    return verdictIn(error)
  }
}
