import type { AlvariumError } from '../../base/errors.js'
import type { KeptOptions, RecordContent } from './record.js'

/** A stored message that is to be sent; or the place of messages that are lost. */
export interface OutboxEntry extends RecordContent {
  readonly number: number
  /** How many numbers it stands for, this one the last of them: 1, or more if messages are lost. */
  readonly count: number
  /** Of its record, in bytes. */
  readonly length: number
  /** Milliseconds by the outbox's own clock, see {@link Clock}. */
  readonly bornAt: number
  /** Why there is nothing to send. */
  readonly gone?: AlvariumError
}

/** A message that is to be stored. */
export interface NewMessage {
  readonly message: Uint8Array
  readonly options: KeptOptions
}

/**
 * What `publish` of an outbox resolves with: the message is stored.
 *
 * The promise is made when it is asked for. So if nobody waits for a message that is dropped, there is no unhandled
 * rejection.
 */
export class StoredMessage {
  #settled = false
  #error: unknown
  #waiting: { resolve(): void; reject(error: unknown): void } | undefined
  #promise: Promise<void> | undefined

  /** Resolves when the stream behind the outbox has accepted the message; rejects when it was dropped. */
  get delivered(): Promise<void> {
    this.#promise ??= new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      if (this.#settled) this.#tell()
    })
    return this.#promise
  }

  /** @internal */
  settle(error?: unknown): void {
    this.#settled = true
    this.#error = error
    this.#tell()
  }

  #tell(): void {
    if (this.#error === undefined) this.#waiting?.resolve()
    else this.#waiting?.reject(this.#error)
  }
}
