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
  /** Reports a failed attempt; another follows. */
  failed(): void
}

/**
 * The stream behind an outbox. Attempts to connect are repeated, because messages can be stored while the broker is
 * away.
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

  /** True if the last attempt has failed. */
  get isAway(): boolean {
    return this.#isAway
  }

  /** Connects the stream. Resolves when it is connected, or the signal aborts. */
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
 * Passes a message to the stream, and waits so many milliseconds for its answer.
 *
 * @param acceptedLate - called if the message is accepted after that
 * @throws AlvariumError `STREAM_TIMEOUT` if the stream does not answer in time; or its rejection
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

/** Messages that wait in an {@link Outbox}. */
export interface StoredStats {
  readonly messages: number
  /** Bytes that they use in the store. */
  readonly bytes: number
  /**
   * Time at which the oldest was stored, in milliseconds since 1970. Absent while none waits, or none has been read
   * yet.
   */
  readonly oldestAt?: number
}

/** Figures of an {@link Outbox}, in addition to those of its stream. */
export interface OutboxStats extends StreamStats {
  /** Messages that wait for delivery. */
  readonly stored: StoredStats
  /** Number of messages that are set aside, by this process or an earlier one. */
  readonly setAside: number
  /** Number of messages found to be lost since the store was opened. */
  readonly damaged: number
}

/** Returns the figures of the outbox, and of its stream: from the stream itself, otherwise from the outbox. */
export function statsOf(
  stream: StreamProvider,
  own: Pick<OutboxStats, 'online' | 'queued' | 'acknowledged' | 'stored' | 'setAside' | 'damaged'>,
): OutboxStats {
  const { stored, setAside, damaged } = own
  return Object.freeze({ ...NO_STATS, ...own, ...stream.stats?.(), stored, setAside, damaged })
}
