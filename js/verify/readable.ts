import { AlvariumError, assertBytes, isVerdict } from '../base/errors.js'
import { decoded } from '../codecs/checked.js'
import type { Codec } from '../codecs/codec.js'

/** FORMAT.md, Limits; checked before a message is copied into the core, whose memory never shrinks. */
const LONGEST_MESSAGE = 16 * 1024 * 1024

/**
 * The JSON message, bounded before and after decoding.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`
 */
export function readable(message: Uint8Array, codec: Codec | undefined): Uint8Array {
  assertBytes(message, 'message')
  assertShort(message)
  const text = decoded(message, codec)
  assertShort(text)
  return text
}

function assertShort({ length }: Uint8Array): void {
  if (length <= LONGEST_MESSAGE) return
  const text = `message: expected at most ${LONGEST_MESSAGE} bytes, got ${length}`
  throw new AlvariumError('MESSAGE_MALFORMED', text)
}

/** A JSON message, or why there is none. */
export type Readable = Uint8Array | AlvariumError

export function readableOf(message: Uint8Array, codec: Codec | undefined): Readable {
  try {
    return readable(message, codec)
  } catch (error) {
    if (isVerdict(error)) return error
    throw error
  }
}
