import { AlvariumError, assertBytes, type ErrorCode, expected } from '../base/errors.js'
import { ignoreRejection, isPromiseLike } from '../base/time/promises.js'
import { TOO_LATE, within } from '../base/time/timeout.js'
import { Longest } from '../core/core.js'
import type { Codec } from './codec.js'
import { json } from './json.js'

/** What is to blame, in error messages. */
const ENCODE = 'codec.encode'

/** The message, unless it is longer than any may be: the core, into which it is copied, never shrinks. Throws `MESSAGE_MALFORMED`. */
export function assertShort(message: Uint8Array): Uint8Array {
  if (message.length <= Longest.BatchMessage) return message
  throw expected('MESSAGE_MALFORMED', 'message', `at most ${Longest.BatchMessage} bytes`, `${message.length}`)
}

/**
 * What a codec makes of a message, at once or later. Throws `CODEC_FAILED` when it is not bytes, or the codec throws; and rejects
 * with it, also when the codec does, or has nothing within so many milliseconds.
 */
export function encoding(
  codec: Codec,
  message: Uint8Array,
  tag?: Uint8Array,
  timeoutMs?: number,
): Uint8Array | Promise<Uint8Array> {
  try {
    const bytes: unknown =
      tag && codec.encodeTagged
        ? codec.encodeTagged(message, new TextDecoder().decode(tag))
        : codec.encode(message)
    if (isPromiseLike(bytes)) return encodedLater(bytes, timeoutMs)
    assertBytes(bytes, ENCODE)
    return bytes
  } catch (error) {
    throw failed(error, ENCODE, 'CODEC_FAILED')
  }
}

/** The same for those who cannot wait: a promise is not bytes. */
export function encoded(codec: Codec, message: Uint8Array): Uint8Array {
  return checked(ENCODE, 'CODEC_FAILED', () => codec.encode(message))
}

async function encodedLater(promise: PromiseLike<unknown>, timeoutMs?: number): Promise<Uint8Array> {
  try {
    const bytes = await (timeoutMs === undefined ? promise : within(promise, timeoutMs))
    if (bytes === TOO_LATE) throw new Error(`none within ${timeoutMs} ms`)
    assertBytes(bytes, ENCODE)
    return bytes
  } catch (error) {
    throw failed(error, ENCODE, 'CODEC_FAILED')
  }
}

/** The JSON message that a codec finds. Throws `MESSAGE_MALFORMED` when it finds none. */
export function decoded(bytes: Uint8Array, codec: Codec = json()): Uint8Array {
  assertBytes(bytes, 'message')
  return checked('codec.decode', 'MESSAGE_MALFORMED', () => codec.decode(bytes))
}

/** Lets a codec go of what it holds. Throws `CODEC_FAILED` when it throws. */
export async function closeCodec(codec: Codec): Promise<void> {
  try {
    await codec.close?.()
  } catch (error) {
    if (error instanceof AlvariumError) throw error
    throw expected('CODEC_FAILED', 'codec.close', 'to close', undefined, error)
  }
}

function checked(what: string, code: ErrorCode, run: () => unknown): Uint8Array {
  try {
    const bytes = run()
    ignoreRejection(bytes)
    assertBytes(bytes, what)
    return bytes
  } catch (error) {
    throw failed(error, what, code)
  }
}

function failed(error: unknown, field: string, code: ErrorCode): AlvariumError {
  return error instanceof AlvariumError ? error : expected(code, field, 'bytes', undefined, error)
}
