import { AlvariumError, type ErrorCode } from '../../foundation/base/errors.js'
import type { Logger } from '../../foundation/base/logger.js'
import type { StreamProvider } from '../../transport/streams/stream.js'
import { canHoldMessage, type RejectedMessage, writeDeadLetter } from './dead-letter.js'

/** Codes with which a stream refuses a message for good, most often because it is too large. */
const FINAL: readonly ErrorCode[] = ['STREAM_REFUSED', 'STREAM_SUSPECT']

/**
 * Publishes a dead letter of a rejected message. A dead letter is a third longer than its message. If the stream
 * refuses it for good, a dead letter without the message follows, so that no message can end the loop.
 *
 * @throws other errors of the stream
 */
export async function publishDeadLetter(
  stream: StreamProvider,
  rejected: RejectedMessage,
  logger: Logger,
): Promise<void> {
  const { topic, message } = rejected
  const publish = (isWhole: boolean) =>
    stream.publish(writeDeadLetter(rejected, isWhole), { contentType: 'application/json' })
  if (canHoldMessage(rejected)) {
    try {
      await publish(true)
      return
    } catch (err) {
      if (!(err instanceof AlvariumError && FINAL.includes(err.code))) throw err
      logger.error(
        { err, topic, bytes: message.length },
        'a dead letter was refused, and is sent without its message',
      )
    }
  }
  await publish(false)
}
