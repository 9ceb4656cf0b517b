import { AlvariumError, expected } from '../../../foundation/base/errors.js'
import type { PublishPacket, QueuedMessage } from './queued-message.js'

// Errors with which the promise of a message rejects, if it was not accepted.

/** Returns `STREAM_LOST`, for QoS 0: it is unknown whether the broker has the message. */
export function connectionLostError(reason: Error): AlvariumError {
  const text = `mqtt: the connection was lost, perhaps before the message was sent: ${reason.message}`
  return new AlvariumError('STREAM_LOST', text, { cause: reason })
}

/** Returns `STREAM_REFUSED`: the broker ended the connection and named this message as the reason. */
export function refusedError({ queued, topic }: PublishPacket, reason: Error): AlvariumError {
  return expected('STREAM_REFUSED', 'mqtt', expectedAcceptance(queued, topic), undefined, reason)
}

/** Returns `STREAM_SUSPECT`: the broker gave no reason, but this message was the cause. */
export function poisonError(
  { queued, topic, losses }: PublishPacket,
  reason: Error | undefined,
): AlvariumError {
  const text = `mqtt: expected ${expectedAcceptance(queued, topic)}, but the connection ended each of the ${losses} times that they were sent, and other messages were accepted in between: ${reason?.message}`
  return new AlvariumError('STREAM_SUSPECT', text, { cause: reason })
}

function expectedAcceptance({ bytes }: QueuedMessage, topic: string): string {
  return `the broker to accept ${bytes} bytes for ${JSON.stringify(topic)}`
}

/** Conditions that kept a message from being accepted before its timeout. */
export interface Hindrance {
  readonly isOnline: boolean
  /** Reason for which the last connection ended, or for which there is none yet. */
  readonly whyOffline: Error | undefined
  /** A topic without subscribers. */
  readonly unheardTopic: string | undefined
}

export function timeoutError(afterMs: number, hindrance: Hindrance): AlvariumError {
  const text = `mqtt: expected the broker to accept the message within ${afterMs} ms${describeHindrance(hindrance)}`
  return new AlvariumError('STREAM_TIMEOUT', text, { cause: hindrance.whyOffline })
}

/** Describes the hindrance, as the end of a sentence. */
function describeHindrance({ isOnline, whyOffline, unheardTopic }: Hindrance): string {
  if (!isOnline) {
    const why = whyOffline ? `: ${whyOffline.message}` : ' yet'
    return `, the broker is not connected${why}`
  }
  return unheardTopic === undefined ? '' : `, nobody subscribes to ${JSON.stringify(unheardTopic)}`
}
