import * as v from 'valibot'
import { fromBase64, toBase64 } from '../../foundation/base/bytes/base64.js'
import { AlvariumError, type ErrorCode, malformed } from '../../foundation/base/errors.js'
import type { Logger } from '../../foundation/base/logger.js'
import { contentOf, messageOf } from '../../foundation/base/options/message.js'
import { digits, strict, wholeNumber } from '../../foundation/base/options/schema.js'
import { hasTextAt } from '../../foundation/base/text/text.js'
import type { StreamProvider } from '../../transport/streams/stream.js'
import { PERMANENT_CODES } from '../../transport/streams/stream.js'

/** Unsigned report of a message that a subscription could not use, with the message and the reason. */
export interface DeadLetter {
  /** Received bytes of the message; undefined if they are too many for a dead letter or for its stream. */
  readonly message: Uint8Array | undefined
  /** Size of the message in bytes. */
  readonly size: number
  /** {@link ErrorCode} with which the verification failed. */
  readonly code: string
  /** First 1,000 characters of the error's text. The text may quote the message. */
  readonly reason: string
  /** Topic on which the message arrived. */
  readonly topic: string
  /** Time of receipt in milliseconds since 1970, by the clock of the subscriber. */
  readonly receivedAt: number
  /** Key id that the message names as its signer, if known. Anyone can write any key id. */
  readonly signer?: string | undefined
  /** Media type of the subscription's codec; undefined without a codec. */
  readonly contentType?: string | undefined
}

/** Message type of a dead letter (FORMAT.md, Dead letters). */
const TYPE = 'alvarium.DeadLetter/1'
const START = `{"messageType":"${TYPE}"`
/** Maximum size of a dead letter in bytes: message in base64, reason and topic (FORMAT.md, Limits). */
const MAX_BYTES = 24 * 1024 * 1024
/** Maximum size in bytes of a message that readers accept and that a dead letter can contain. */
const MAX_MESSAGE = 16 * 1024 * 1024
const MAX_REASON = 1000

const TIME = 'a time such as 2026-11-20T10:00:00.000Z'
const BASE64 = `padded base64 of at most ${MAX_MESSAGE} bytes`
const content = strict({
  code: v.pipe(v.string('a code'), v.regex(/^[A-Z_]{1,64}$/, 'a code')),
  reason: v.pipe(v.string('a text'), v.maxLength(MAX_REASON, `at most ${MAX_REASON} characters`)),
  topic: v.string('a topic'),
  receivedAt: v.pipe(
    v.string(TIME),
    v.check((given) => timeOf(Date.parse(given)) === given, TIME),
  ),
  signer: v.optional(digits(32)),
  contentType: v.optional(v.string('a media type')),
  size: wholeNumber(0, 'a whole number of bytes'),
  message: v.optional(v.string(BASE64)),
})

export function isDeadLetter(message: Uint8Array): boolean {
  return hasTextAt(START, message, 0)
}

/**
 * Reads a dead letter, which a subscription has published to its `deadLetter` stream. Verifies nothing.
 *
 * @param bytes - a message of a topic, or a line of a file without its line feed; at most 24 MiB
 * @throws TypeError when `bytes` is not a `Uint8Array`
 * @throws AlvariumError `MESSAGE_MALFORMED`
 *
 * @example
 * ```ts
 * const { message, code, topic, signer } = openDeadLetter(line)
 * console.log(code, topic, signer)
 * if (message) await verifyMessage(message, { keyring }) // again, with a key that was missing
 * ```
 */
export function openDeadLetter(bytes: Uint8Array): DeadLetter {
  const read = contentOf(bytes, { type: TYPE, content, maxBytes: MAX_BYTES, name: 'dead letter' })
  const message = read.message === undefined ? undefined : fromBase64(read.message)
  if (read.message !== undefined && message?.length !== read.size) {
    throw malformed('dead letter.message', `base64 of ${read.size} bytes`, 'another text')
  }
  return { ...read, message, receivedAt: Date.parse(read.receivedAt) }
}

export type RejectedMessage = Omit<DeadLetter, 'size' | 'message'> & { readonly message: Uint8Array }

/** Returns the bytes of a dead letter: JSON on one line. @param isWhole - true to include the message */
export function writeDeadLetter(rejected: RejectedMessage, isWhole: boolean): Uint8Array {
  const { code, reason, topic, receivedAt, signer, contentType, message } = rejected
  return messageOf(TYPE, {
    code,
    reason: reason.slice(0, MAX_REASON),
    topic,
    receivedAt: timeOf(receivedAt),
    signer,
    contentType,
    size: message.length,
    message: isWhole ? toBase64(message) : undefined,
  })
}

function timeOf(ms: number): string | undefined {
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/**
 * Publishes a dead letter for a rejected message. If the stream refuses the dead letter permanently,
 * publishes one without the message. A long message could otherwise end the loop, because its dead letter is
 * a third longer than the message.
 *
 * @throws all other errors of the stream
 */
export async function publishDeadLetter(
  stream: StreamProvider,
  rejected: RejectedMessage,
  logger: Logger,
): Promise<void> {
  const { topic, message } = rejected
  const publish = (isWhole: boolean) =>
    stream.publish(writeDeadLetter(rejected, isWhole), { contentType: 'application/json' })
  if (message.length <= MAX_MESSAGE) {
    try {
      await publish(true)
      return
    } catch (err) {
      if (!(err instanceof AlvariumError && PERMANENT_CODES.includes(err.code))) throw err
      logger.error(
        { err, topic, bytes: message.length },
        'a dead letter was refused, and is sent without its message',
      )
    }
  }
  await publish(false)
}
