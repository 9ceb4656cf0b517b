import type { Chain } from './chain.js'
import type { QueuedMessage } from './queued-message.js'

/**
 * One timer for the deadlines of all messages. They all have the same time to go, so the oldest, which is the first of
 * its chain, is always the next.
 */
export class Deadlines {
  readonly #messages: Chain<QueuedMessage>
  readonly #afterMs: number
  readonly #expire: (queued: QueuedMessage) => void
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(messages: Chain<QueuedMessage>, afterMs: number, expire: (queued: QueuedMessage) => void) {
    this.#messages = messages
    this.#afterMs = afterMs
    this.#expire = expire
  }

  /** Call it with every new message: it costs nothing while the timer runs. */
  watch(): void {
    this.#timer ??= setTimeout(() => this.#sweep(), this.#afterMs)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #sweep(): void {
    this.#timer = undefined
    const now = performance.now()
    for (let { first: queued } = this.#messages; queued; queued = this.#messages.first) {
      const left = queued.acceptedAt + this.#afterMs - now
      if (left > 0) {
        this.#timer = setTimeout(() => this.#sweep(), left)
        return
      }
      this.#expire(queued)
    }
  }
}
