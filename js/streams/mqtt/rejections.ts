import { AlvariumError, expected } from '../../base/errors.js'
import type { PublishPacket, QueuedMessage } from './queued-message.js'

// Why a message was not accepted, as the error with which its promise rejects.

/** `STREAM_LOST`, with QoS 0: nobody knows whether the broker has it. */
export function connectionLost(reason: Error): AlvariumError {
  const text = `mqtt: the connection was lost before the message was sent: ${reason.message}`
  return new AlvariumError('STREAM_LOST', text, { cause: reason })
}

/** `STREAM_REFUSED`: the broker ended the connection and named this message as the reason. */
export function refused({ queued, topic }: PublishPacket, reason: Error): AlvariumError {
  return expected('STREAM_REFUSED', 'mqtt', toAccept(queued, topic), undefined, reason)
}

/** `STREAM_SUSPECT`: the broker gave no reason, but it was this message. */
export function poisonous(
  { queued, topic, losses }: PublishPacket,
  reason: Error | undefined,
): AlvariumError {
  const text = `mqtt: expected ${toAccept(queued, topic)}, but the connection ended each of the ${losses} times that they were sent, and other messages were accepted in between: ${reason?.message}`
  return new AlvariumError('STREAM_SUSPECT', text, { cause: reason })
}

function toAccept({ bytes }: QueuedMessage, topic: string): string {
  return `the broker to accept ${bytes} bytes for ${JSON.stringify(topic)}`
}

/** What a message waits for while its time runs out. */
export interface Hindrance {
  readonly isOnline: boolean
  /** Why the last connection ended, or why there is none yet. */
  readonly whyOffline: Error | undefined
  /** A topic that nobody subscribes to. */
  readonly unheard: string | undefined
}

/** `STREAM_TIMEOUT`. */
export function tooLate(afterMs: number, hindrance: Hindrance): AlvariumError {
  const text = `mqtt: expected the broker to accept the message within ${afterMs} ms${told(hindrance)}`
  return new AlvariumError('STREAM_TIMEOUT', text, { cause: hindrance.whyOffline })
}

/** As the end of a sentence. */
function told({ isOnline, whyOffline, unheard }: Hindrance): string {
  if (!isOnline) {
    const why = whyOffline ? `: ${whyOffline.message}` : ' yet'
    return `, the broker is not connected${why}`
  }
  return unheard === undefined ? '' : `, nobody subscribes to ${JSON.stringify(unheard)}`
}
