import { expected } from '../../../foundation/base/errors.js'
import type { Logger } from '../../../foundation/base/logger.js'
import type { LeaseContext } from '../../../signing/keys/leased-key.js'
import { closeClaimed, connectClaimed } from '../../../transport/streams/claim.js'
import { acceptanceOf, type StreamProvider } from '../../../transport/streams/stream.js'

export interface LeaseStreamSettings {
  readonly stream: StreamProvider
  readonly every: number
  readonly everyMs: number
  /** Timeout in milliseconds for a republished lease. A lease that was not accepted in time is published again. */
  readonly signerTimeoutMs: number
}

const FIELD = 'leased.stream'

/** Publisher of an SDK's current lease. It repeats the lease, because later subscribers need it, too. */
export class LeaseStream {
  readonly #settings: LeaseStreamSettings
  readonly #logger: Logger
  #lease: Uint8Array | undefined
  #messages = 0
  #publishedAt = 0
  #sending: Promise<void> | undefined

  constructor(settings: LeaseStreamSettings, logger: Logger) {
    this.#settings = settings
    this.#logger = logger
  }

  async open(context: LeaseContext): Promise<void> {
    const { stream } = this.#settings
    await connectClaimed({ ...context, stream, field: FIELD, logger: this.#logger })
  }

  async publish(lease: Uint8Array): Promise<void> {
    this.#messages = 0
    this.#publishedAt = performance.now()
    await this.#send(lease)
    this.#lease = lease
  }

  async #send(lease: Uint8Array): Promise<void> {
    acceptanceOf(await this.#settings.stream.publish(lease.slice(), { contentType: 'application/json' }))
  }

  /** Republishes the lease if it is due. Called before a message is published. Signing does not wait. */
  republishIfDue(): void {
    const { every, everyMs } = this.#settings
    const isDue = ++this.#messages > every || performance.now() - this.#publishedAt >= everyMs
    if (!isDue || !this.#lease || this.#isWaiting()) return
    this.#messages = 1
    this.#publishedAt = performance.now()
    // Do not set `#lease` after this call, because a renewed lease may have replaced it meanwhile.
    const sending = this.#send(this.#lease)
    this.#sending = sending
    sending
      .catch((err) => this.#logger.warn({ err }, 'the lease could not be published again: the next time'))
      .finally(() => {
        if (this.#sending === sending) this.#sending = undefined
      })
  }

  /**
   * Returns whether the stream may still accept a republished lease within the timeout. Uses no timer, which would
   * keep the process alive.
   */
  #isWaiting(): boolean {
    if (!this.#sending) return false
    const { signerTimeoutMs } = this.#settings
    if (performance.now() - this.#publishedAt < signerTimeoutMs) return true
    const err = expected('STREAM_FAILED', FIELD, 'an answer', `no answer within ${signerTimeoutMs} ms`)
    this.#logger.warn({ err }, 'the lease that was published again was not accepted: it goes out once more')
    return false
  }

  async close(): Promise<void> {
    const err = await closeClaimed(this.#settings.stream, FIELD)
    if (err) this.#logger.error({ err }, err.message)
  }
}
