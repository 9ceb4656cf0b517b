import { expected } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import { MAX_TIMEOUT_MS } from '../../../foundation/base/options/schema.js'
import { pause } from '../../../foundation/base/time/backoff.js'
import { TOO_LATE, within } from '../../../foundation/base/time/timeout.js'
import { NO_STATS, type StreamStats } from '../stats.js'
import { acceptanceOf, type StreamProvider } from '../stream.js'
import type { OutboxEntry } from './entry.js'
import { retryDelay } from './retries.js'

export interface DownstreamHandler {
  /** Reports that the stream is connected. */
  online(): void
  /** Reports a failed attempt to connect, before the next attempt. */
  failed(): void
}

/**
 * The stream of an outbox. The outbox tries to connect it until that succeeds, because messages can be stored
 * while the broker is offline.
 */
export class Downstream {
  readonly #stream: StreamProvider
  readonly #logger: Logger
  readonly #signal: AbortSignal
  readonly #handler: DownstreamHandler
  #isOnline = false
  #isAway = false

  constructor(stream: StreamProvider, logger: Logger, signal: AbortSignal, user: DownstreamHandler) {
    this.#stream = stream
    this.#logger = logger
    this.#signal = signal
    this.#handler = user
  }

  get isOnline(): boolean {
    return this.#isOnline
  }

  /** True if the last attempt to connect the stream failed. */
  get isAway(): boolean {
    return this.#isAway
  }

  /** Connects the stream, with retries. Resolves when the stream is connected, or the signal aborts. */
  async run(): Promise<void> {
    const [logger, signal] = [this.#logger, this.#signal]
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await this.#stream.connect?.({ logger, signal })
        this.#isAway = false
        this.#isOnline = true
        return this.#handler.online()
      } catch (err) {
        if (signal.aborted) return
        this.#isAway = true
        logger.warn({ err, failures }, 'outbox: the stream could not connect; what comes is stored')
      }
      this.#handler.failed()
      await pause(retryDelay(failures), signal)
    }
  }
}

/**
 * Publishes a message, and waits the given number of milliseconds for the stream's answer.
 *
 * @param acceptedLate - called if the stream accepts the message after that time
 * @throws AlvariumError `STREAM_TIMEOUT` if the stream does not answer in time; or the stream's rejection
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

/** Returns the statistics of the outbox, with the stream's statistics if the stream has any. */
export function statsOf(
  stream: StreamProvider,
  outboxStats: Pick<OutboxStats, 'online' | 'queued' | 'acknowledged' | 'stored' | 'setAside' | 'damaged'>,
): OutboxStats {
  const { stored, setAside, damaged } = outboxStats
  return Object.freeze({ ...NO_STATS, ...outboxStats, ...stream.stats?.(), stored, setAside, damaged })
}
