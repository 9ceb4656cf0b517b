import { expected } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import type { LeaseContext } from '../keys/leased-key.js'
import { closeClaimed, connectClaimed } from '../streams/claim.js'
import { acceptanceOf, type StreamProvider } from '../streams/stream.js'

/** Where leases go, and how often. */
export interface LeaseStreamSettings {
  readonly stream: StreamProvider
  readonly every: number
  readonly everyMs: number
  /** How long the next lease waits for one that is being published again. */
  readonly signerTimeoutMs: number
}

/** What it is called in errors. */
const FIELD = 'leased.stream'

/** Publishes the current lease of an SDK, again and again: readers who come later need it too. */
export class LeaseStream {
  readonly #settings: LeaseStreamSettings
  readonly #logger: Logger
  #lease: Uint8Array | undefined
  #messages = 0
  #at = 0
  /** The lease that goes out again, until the stream has answered. */
  #sending: Promise<void> | undefined

  constructor(settings: LeaseStreamSettings, logger: Logger) {
    this.#settings = settings
    this.#logger = logger
  }

  /** @throws AlvariumError as `connect` does, `CONFIG_INVALID` for a stream that is in use */
  async open(context: LeaseContext): Promise<void> {
    const { stream } = this.#settings
    await connectClaimed({ ...context, stream, field: FIELD, logger: this.#logger })
  }

  /** Publishes the next lease. Resolves when the stream has accepted it. */
  async publish(lease: Uint8Array): Promise<void> {
    this.#messages = 0
    this.#at = performance.now()
    await this.#send(lease)
    this.#lease = lease
  }

  async #send(lease: Uint8Array): Promise<void> {
    acceptanceOf(await this.#settings.stream.publish(lease.slice(), { contentType: 'application/json' }))
  }

  /** A message is signed next. Nobody waits for a lease that goes out again. */
  signing(): void {
    const { every, everyMs } = this.#settings
    const isDue = ++this.#messages > every || performance.now() - this.#at >= everyMs
    if (!isDue || !this.#lease || this.#isWaiting()) return
    this.#messages = 1
    this.#at = performance.now()
    // Accepted late, it must not take the place of the one that was renewed meanwhile.
    const sending = this.#send(this.#lease)
    this.#sending = sending
    sending
      .catch((err) => this.#logger.warn({ err }, 'the lease could not be published again: the next time'))
      .finally(() => {
        if (this.#sending === sending) this.#sending = undefined
      })
  }

  /** Whether the last one may still be accepted. By the time of each message, as a timer would keep the process alive. */
  #isWaiting(): boolean {
    if (!this.#sending) return false
    const { signerTimeoutMs } = this.#settings
    if (performance.now() - this.#at < signerTimeoutMs) return true
    const err = expected('STREAM_FAILED', FIELD, `an answer within ${signerTimeoutMs} ms`, 'none')
    this.#logger.warn({ err }, 'the lease that was published again was not accepted: it goes out once more')
    return false
  }

  async close(): Promise<void> {
    const err = await closeClaimed(this.#settings.stream, FIELD)
    if (err) this.#logger.error({ err }, err.message)
  }
}
