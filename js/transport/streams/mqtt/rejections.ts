import { AlvariumError, expected } from '../../../foundation/base/errors.js'
import type { PublishPacket, QueuedMessage } from './queued-message.js'

/** Returns the error of a QoS 0 message, which the broker may or may not have received. */
export function connectionLostError(reason: Error): AlvariumError {
  const text = `mqtt: the connection was lost, perhaps before the message was sent: ${reason.message}`
  return new AlvariumError('STREAM_LOST', text, { cause: reason })
}

/** Returns the error of a packet that the broker named as its reason to disconnect. */
export function refusedError({ queued, topic }: PublishPacket, reason: Error): AlvariumError {
  return expected('STREAM_REFUSED', 'mqtt', expectedAcceptance(queued, topic), undefined, reason)
}

/** Returns the error of a packet at which the broker disconnected without a reason. */
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

export interface Hindrance {
  readonly isOnline: boolean
  /** Reason why the last connection ended, or why the last attempt to reconnect failed. */
  readonly whyOffline: Error | undefined
  readonly topicWithoutSubscribers: string | undefined
}

export function timeoutError(afterMs: number, hindrance: Hindrance): AlvariumError {
  const text = `mqtt: expected the broker to accept the message within ${afterMs} ms${describeHindrance(hindrance)}`
  return new AlvariumError('STREAM_TIMEOUT', text, { cause: hindrance.whyOffline })
}

/**
 * Returns the end of an error text that explains why the message was not accepted, if the reason is known.
 */
function describeHindrance({ isOnline, whyOffline, topicWithoutSubscribers }: Hindrance): string {
  if (!isOnline) {
    const why = whyOffline ? `: ${whyOffline.message}` : ' yet'
    return `, the broker is not connected${why}`
  }
  return topicWithoutSubscribers === undefined
    ? ''
    : `, nobody subscribes to ${JSON.stringify(topicWithoutSubscribers)}`
}
