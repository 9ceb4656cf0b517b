import { expected } from '../../base/errors.js'
import type { Logger } from '../../base/logger.js'
import { LONGEST_TIMEOUT } from '../../base/options/schema.js'
import { pause } from '../../base/time/backoff.js'
import { TOO_LATE, within } from '../../base/time/timeout.js'
import { NOTHING_YET, type StreamStats } from '../stats.js'
import { acceptanceOf, type StreamProvider } from '../stream.js'
import type { OutboxEntry } from './entry.js'
import { againIn } from './retries.js'

/** Who hears from a {@link Downstream}. */
export interface DownstreamUser {
  /** The stream is connected. */
  online(): void
  /** An attempt has failed, and another comes. */
  failed(): void
}

/** The stream behind an outbox. It is connected again and again: while the broker is away, messages can be stored. */
export class Downstream {
  readonly #stream: StreamProvider
  readonly #logger: Logger
  readonly #signal: AbortSignal
  readonly #user: DownstreamUser
  #isOnline = false
  #isAway = false

  constructor(stream: StreamProvider, logger: Logger, signal: AbortSignal, user: DownstreamUser) {
    this.#stream = stream
    this.#logger = logger
    this.#signal = signal
    this.#user = user
  }

  get isOnline(): boolean {
    return this.#isOnline
  }

  /** The last attempt has failed. */
  get isAway(): boolean {
    return this.#isAway
  }

  /** Resolves when it is connected, or the signal aborts. */
  async run(): Promise<void> {
    const [logger, signal] = [this.#logger, this.#signal]
    for (let failures = 0; !signal.aborted; failures++) {
      try {
        await this.#stream.connect?.({ logger, signal })
        this.#isAway = false
        this.#isOnline = true
        return this.#user.online()
      } catch (err) {
        if (signal.aborted) return
        this.#isAway = true
        logger.warn({ err, failures }, 'outbox: the stream could not connect; what comes is stored')
      }
      this.#user.failed()
      await pause(againIn(failures), signal)
    }
  }
}

/**
 * Hands a message to the stream, and waits so many milliseconds for its answer.
 *
 * @param acceptedLate - called if it is accepted after that
 * @throws AlvariumError `STREAM_TIMEOUT` when the stream has not answered in time; and what it rejects with
 */
export async function handOver(
  stream: StreamProvider,
  { message, options }: OutboxEntry,
  milliseconds: number,
  acceptedLate: () => void,
): Promise<void> {
  const answer = Promise.resolve(stream.publish(message, options)).then(acceptanceOf)
  const waitMs = Math.min(milliseconds, LONGEST_TIMEOUT)
  if ((await within(answer, waitMs)) !== TOO_LATE) return
  answer.then(acceptedLate, () => {})
  const got = `no answer within ${Math.round(waitMs)} ms`
  throw expected('STREAM_TIMEOUT', 'stream.publish', 'the message to be accepted', got)
}

/** What waits in an {@link Outbox}. */
export interface Stored {
  readonly messages: number
  /** What they take in the store. */
  readonly bytes: number
  /** When the oldest of them was stored, in milliseconds since 1970; absent while nothing waits, or has been read. */
  readonly oldestAt?: number
}

/** What an {@link Outbox} has done so far and what it holds, beside what its stream says of itself. */
export interface OutboxStats extends StreamStats {
  /** What waits to be delivered. */
  readonly stored: Stored
  /** Messages that are set aside, of this process or an earlier one. */
  readonly setAside: number
  /** Messages that were found to be gone since the store was opened. */
  readonly damaged: number
}

/** What the stream says of itself, what the outbox knows of it otherwise, and what the outbox holds. */
export function statsOf(
  stream: StreamProvider,
  own: Pick<OutboxStats, 'online' | 'queued' | 'acknowledged' | 'stored' | 'setAside' | 'damaged'>,
): OutboxStats {
  const { stored, setAside, damaged } = own
  return Object.freeze({ ...NOTHING_YET, ...own, ...stream.stats?.(), stored, setAside, damaged })
}
