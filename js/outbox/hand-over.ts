import { AlvariumError } from '../base/errors.js'
import { LONGEST_TIMEOUT } from '../base/schema.js'
import { TOO_LATE, within } from '../base/timeout.js'
import type { StreamProvider } from '../streams/stream.js'
import type { Entry } from './entry.js'

/**
 * Hands a message to the stream, and waits so many milliseconds for its answer.
 *
 * @param acceptedLate - is told when it is accepted after that
 * @throws AlvariumError `STREAM_TIMEOUT` when the stream has not answered in time; and what it rejects with
 */
export async function handOver(
  stream: StreamProvider,
  { message, options }: Entry,
  milliseconds: number,
  acceptedLate: () => void,
): Promise<void> {
  const answer = Promise.resolve(stream.publish(message, options))
  const waitMs = Math.min(milliseconds, LONGEST_TIMEOUT)
  if ((await within(answer, waitMs)) !== TOO_LATE) return
  answer.then(acceptedLate, () => {})
  const text = `stream.publish: expected the message to be accepted, got no answer within ${Math.round(waitMs)} ms`
  throw new AlvariumError('STREAM_TIMEOUT', text)
}
