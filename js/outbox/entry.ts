import type { AlvariumError } from '../base/errors.js'
import type { KeptOptions, RecordContent } from './record.js'

/** A stored message on its way to the stream; or the place of messages that are gone. */
export interface Entry extends RecordContent {
  readonly number: number
  /** How many numbers it stands for, this one the last of them: 1, or more where messages are gone. */
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
 * The promise is made when it is asked for, so that a message that is dropped, for which nobody waits, is no unhandled
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
