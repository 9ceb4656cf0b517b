import { type AlvariumError, assertBytes, isVerdict } from '../../foundation/base/errors.js'
import { assertShort, decodeMessage } from '../../transport/codecs/checked.js'
import type { Codec } from '../../transport/codecs/codec.js'

/**
 * Decodes a message to JSON. Limits the size before and after decoding.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function decodeToJson(message: Uint8Array, codec: Codec | undefined): Uint8Array {
  assertBytes(message, 'message')
  return assertShort(decodeMessage(assertShort(message), codec))
}

/** JSON of a message, or the error if decoding failed. */
export type MessageText = Uint8Array | AlvariumError

export function tryDecodeMessage(message: Uint8Array, codec: Codec | undefined): MessageText {
  try {
    return decodeToJson(message, codec)
  } catch (error) {
    if (isVerdict(error)) return error
    throw error
  }
}
