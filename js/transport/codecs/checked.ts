import {
  AlvariumError,
  assertBytes,
  type ErrorCode,
  expected,
  failureOf,
} from '../../foundation/base/errors.js'
import { ignoreRejection, isPromiseLike } from '../../foundation/base/time/promises.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import { MaxBytes } from '../../foundation/core/core.js'
import type { Codec } from './codec.js'
import { json } from './json.js'

const ENCODE = 'codec.encode'

/** Returns the message. Throws `MESSAGE_MALFORMED` if it is too long, because WebAssembly memory never shrinks. */
export function assertShort(message: Uint8Array): Uint8Array {
  if (message.length <= MaxBytes.BatchMessage) return message
  throw expected(
    'MESSAGE_MALFORMED',
    'message',
    `at most ${MaxBytes.BatchMessage} bytes`,
    `${message.length}`,
  )
}

/**
 * Encodes a message. Returns a promise if the codec returns one.
 *
 * Throws `CODEC_FAILED`, or rejects with it, if the codec fails, if its result is not bytes, or if its
 * promise does not settle within `timeoutMs` milliseconds. An `AlvariumError` of the codec stays unchanged.
 */
export function encodeMessage(
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
    if (isPromiseLike(bytes)) return awaitEncoding(bytes, timeoutMs)
    assertBytes(bytes, ENCODE)
    return bytes
  } catch (error) {
    throw toCodecError(error, ENCODE, 'CODEC_FAILED')
  }
}

/** Encodes a message synchronously. Throws `CODEC_FAILED` if the codec returns a promise. */
export function encodeSync(codec: Codec, message: Uint8Array): Uint8Array {
  return runChecked(ENCODE, 'CODEC_FAILED', () => codec.encode(message))
}

async function awaitEncoding(promise: PromiseLike<unknown>, timeoutMs?: number): Promise<Uint8Array> {
  try {
    const bytes = await (timeoutMs === undefined ? promise : within(promise, timeoutMs))
    if (bytes === TOO_LATE) throw new Error(`none within ${timeoutMs} ms`)
    assertBytes(bytes, ENCODE)
    return bytes
  } catch (error) {
    throw toCodecError(error, ENCODE, 'CODEC_FAILED')
  }
}

/** Decodes received bytes to JSON. Throws the codec's `AlvariumError`, or else `MESSAGE_MALFORMED`. */
export function decodeMessage(bytes: Uint8Array, codec: Codec = json()): Uint8Array {
  assertBytes(bytes, 'message')
  return runChecked('codec.decode', 'MESSAGE_MALFORMED', () => codec.decode(bytes))
}

/** Closes a codec. If its `close` fails, throws the codec's `AlvariumError`, or else `CODEC_FAILED`. */
export async function closeCodec(codec: Codec): Promise<void> {
  try {
    await codec.close?.()
  } catch (error) {
    if (error instanceof AlvariumError) throw error
    throw failureOf('CODEC_FAILED', 'codec.close', error)
  }
}

function runChecked(field: string, code: ErrorCode, run: () => unknown): Uint8Array {
  try {
    const bytes = run()
    ignoreRejection(bytes)
    assertBytes(bytes, field)
    return bytes
  } catch (error) {
    throw toCodecError(error, field, code)
  }
}

function toCodecError(error: unknown, field: string, code: ErrorCode): AlvariumError {
  return error instanceof AlvariumError ? error : expected(code, field, 'bytes', undefined, error)
}
