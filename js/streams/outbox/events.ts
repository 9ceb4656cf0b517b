import type { AlvariumError } from '../../base/errors.js'
import type { SetAsideMessage } from './aside.js'
import type { Range } from './mark.js'

/**
 * A stored message will not be delivered: it was too old, refused, or in the way of newer ones.
 *
 * @example
 * ```ts
 * const stream = outbox({ stream: mqtt({ url, topic }), store: './outbox' })
 * stream.addEventListener('dropped', ({ error, message }) => console.error(error, message.length))
 * ```
 */
export class DroppedEvent extends Event {
  /** The message, as it was handed to `publish`: yours to keep elsewhere. */
  readonly message: Uint8Array
  /**
   * Why: an `AlvariumError` with `STREAM_TIMEOUT` (older than `maxAgeMs`), `STREAM_REFUSED` (by the broker), `QUEUE_FULL` (made
   * room for newer ones).
   */
  readonly error: unknown

  /** @internal */
  constructor(message: Uint8Array, error: unknown) {
    super('dropped')
    this.message = message
    this.error = error
  }
}

/**
 * A message was set aside: the broker ends the connection whenever it is sent, and accepts others (`STREAM_SUSPECT`). It stays in the store
 * until `resend(id)` or `discard(id)`.
 *
 * @example
 * ```ts
 * const stream = outbox({ stream: mqtt({ url, topic }), store: './outbox' })
 * stream.addEventListener('setaside', ({ id, error }) => console.error(id, error))
 * ```
 */
export class SetAsideEvent extends Event implements SetAsideMessage {
  declare readonly id: number
  declare readonly message: Uint8Array
  declare readonly storedAt: number
  declare readonly error: string

  /** @internal */
  constructor(message: SetAsideMessage) {
    super('setaside')
    Object.assign(this, message)
  }
}

/** Which messages are lost, and what is known of them. */
export interface Damage {
  /** Number of lost messages. 0: the mark of the store is lost, and nobody can count what is missing at its ends. */
  readonly count: number
  /** Their numbers, from the first to the last of those that follow on each other. Messages are numbered in the order of the calls, from 1 on. */
  readonly numbers: readonly Range[]
  /** They were stored after this, in milliseconds since 1970; absent when nothing older is there to go by. */
  readonly storedAfter?: number | undefined
  /** They were stored before this, in milliseconds since 1970; absent when nothing newer is there to go by. */
  readonly storedBefore?: number | undefined
  /** What was found, with `STORE_DAMAGED`. */
  readonly error: AlvariumError
}

/**
 * Stored messages are lost: their records were altered, or are missing. The others are delivered.
 *
 * @example
 * ```ts
 * const stream = outbox({ stream: mqtt({ url, topic }), store: './outbox' })
 * stream.addEventListener('damaged', ({ count, numbers, error }) => console.error(count, numbers, error.message))
 * ```
 */
export class DamagedEvent extends Event implements Damage {
  declare readonly count: number
  declare readonly numbers: readonly Range[]
  declare readonly storedAfter: number | undefined
  declare readonly storedBefore: number | undefined
  declare readonly error: AlvariumError

  /** @internal */
  constructor(damage: Damage) {
    super('damaged')
    Object.assign(this, damage)
  }
}
