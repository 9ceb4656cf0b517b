import type { AlvariumError } from '../../../foundation/base/errors.js'
import type { RecordContent, StoredOptions } from './record.js'

/** A stored message to send, or a placeholder for lost messages. */
export interface OutboxEntry extends RecordContent {
  readonly number: number
  /** Number of messages in the range that ends with `number`: 1, or more for lost messages. */
  readonly count: number
  readonly length: number
  /** Time of storage in milliseconds, as computed by {@link Clock}. */
  readonly storedAtMonotonic: number
  /** Error that describes the loss; absent for a message that can be sent. */
  readonly lossError?: AlvariumError
}

export interface NewMessage {
  readonly message: Uint8Array
  readonly options: StoredOptions
}

/**
 * Receipt from `publish` of an outbox for a stored message.
 *
 * The getter `delivered` creates its promise on demand. A dropped message thus causes no unhandled rejection
 * if nobody waits for it.
 */
export class StoredMessage {
  #settled = false
  #error: unknown
  #waiting: { resolve(): void; reject(error: unknown): void } | undefined
  #promise: Promise<void> | undefined

  /**
   * Promise that resolves when the stream has accepted the message. Rejects if the outbox drops the message
   * or closes first, if the message is lost, or if `discard` deletes it.
   */
  get delivered(): Promise<void> {
    this.#promise ??= new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      if (this.#settled) this.#settleWaiting()
    })
    return this.#promise
  }

  /** @internal */
  settle(error?: unknown): void {
    this.#settled = true
    this.#error = error
    this.#settleWaiting()
  }

  #settleWaiting(): void {
    if (this.#error === undefined) this.#waiting?.resolve()
    else this.#waiting?.reject(this.#error)
  }
}
