import type { Logger } from '../base/logger.js'
import type { StreamProvider } from '../streams/stream.js'
import { againIn, pause } from './pause.js'

/** Who is told by a {@link Reach}. */
export interface ReachUser {
  /** The stream is connected. */
  online(): void
  /** An attempt has failed, and another comes. */
  failed(): void
}

/** Connects a stream, again and again: the broker may be away when the process starts, which is no reason not to store. */
export class Reach {
  readonly #stream: StreamProvider
  readonly #logger: Logger
  readonly #signal: AbortSignal
  readonly #user: ReachUser
  #isOnline = false
  #isAway = false

  constructor(stream: StreamProvider, logger: Logger, signal: AbortSignal, user: ReachUser) {
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

  /** Resolves when it is connected, or nobody waits for that any more. */
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
