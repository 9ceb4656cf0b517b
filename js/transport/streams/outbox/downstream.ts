import { expected } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import { MAX_TIMEOUT_MS } from '../../../foundation/base/options/schema.js'
import { pause } from '../../../foundation/base/time/backoff.js'
import { TOO_LATE, within } from '../../../foundation/base/time/timeout.js'
import { NO_STATS, type StreamStats } from '../stats.js'
import { acceptanceOf, type StreamProvider } from '../stream.js'
import type { OutboxEntry } from './entry.js'
import { retryDelay } from './retries.js'

/**
 * Connects the stream, with retries, because messages can be stored while the broker is offline. Calls
 * `failed` after each failure. Resolves with false if the signal aborts first.
 */
export async function connectWithRetries(
  stream: StreamProvider,
  logger: Logger,
  signal: AbortSignal,
  failed: () => void,
): Promise<boolean> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      await stream.connect?.({ logger, signal })
      return true
    } catch (err) {
      if (signal.aborted) return false
      logger.warn({ err, failures }, 'outbox: the stream could not connect; what comes is stored')
    }
    failed()
    await pause(retryDelay(failures), signal)
  }
  return false
}

/**
 * Publishes a message, and waits a number of milliseconds for the answer. Calls `acceptedLate` if the stream
 * accepts the message later.
 *
 * @throws AlvariumError `STREAM_TIMEOUT`, or the stream's rejection
 */
export async function publishWithin(
  stream: StreamProvider,
  { message, options }: OutboxEntry,
  milliseconds: number,
  acceptedLate: () => void,
): Promise<void> {
  const answer = Promise.resolve(stream.publish(message, options)).then(acceptanceOf)
  const waitMs = Math.min(milliseconds, MAX_TIMEOUT_MS)
  if ((await within(answer, waitMs)) !== TOO_LATE) return
  answer.then(acceptedLate, () => {})
  const got = `no answer within ${Math.round(waitMs)} ms`
  throw expected('STREAM_TIMEOUT', 'stream.publish', 'the message to be accepted', got)
}

/**
 * Number, size and age of the messages that wait in an {@link Outbox}. A delivered message counts until all
 * older ones are settled.
 */
export interface StoredStats {
  readonly messages: number
  /** Size of the waiting messages in the store, in bytes. */
  readonly bytes: number
  /**
   * Time at which the oldest waiting message was stored, in milliseconds since 1970. Absent while no message
   * waits, or while the outbox has not read the waiting messages from the store.
   */
  readonly oldestAt?: number
}

/** Statistics of an {@link Outbox} and of its stream. */
export interface OutboxStats extends StreamStats {
  /** Number, size and age of the messages that wait for delivery. */
  readonly stored: StoredStats
  /** Number of messages that are set aside, by this process or an earlier one. */
  readonly setAside: number
  /** Number of lost messages found since the store was opened. */
  readonly damaged: number
}

/** Combines the statistics of the outbox with those of the stream. */
export function statsOf(
  stream: StreamProvider,
  outboxStats: Pick<OutboxStats, 'online' | 'queued' | 'acknowledged' | 'stored' | 'setAside' | 'damaged'>,
): OutboxStats {
  const { stored, setAside, damaged } = outboxStats
  return Object.freeze({ ...NO_STATS, ...outboxStats, ...stream.stats?.(), stored, setAside, damaged })
}
