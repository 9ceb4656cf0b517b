import type { AlvariumError } from '../../../foundation/base/errors.js'
import type { SetAsideMessage } from './aside.js'
import type { Range } from './mark.js'

/**
 * Event for a stored message that will not be delivered, because it was too old, refused, or dropped to make room.
 *
 * @example
 * ```ts
 * const stream = outbox({ stream: mqtt({ url, topic }), store: './outbox' })
 * stream.addEventListener('dropped', ({ error, message }) => console.error(error, message.length))
 * ```
 */
export class DroppedEvent extends Event {
  /** The message that was passed to `publish`. You can keep it elsewhere. */
  readonly message: Uint8Array
  /**
   * The reason, an `AlvariumError` with `STREAM_TIMEOUT` (older than `maxAgeMs`), `STREAM_REFUSED` (by the broker), or
   * `QUEUE_FULL` (dropped to make room for newer messages).
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
 * Event for a message that was set aside, because the broker ends the connection whenever it is sent, and accepts
 * others (`STREAM_SUSPECT`). The message stays in the store until `resend(id)` or `discard(id)`.
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

/** Lost messages, and the known facts about them. */
export interface Damage {
  /** Number of lost messages. 0: the mark of the store is lost, and messages missing at its ends cannot be counted. */
  readonly count: number
  /** Ranges of their numbers. Messages are numbered from 1 in the order of the calls. */
  readonly numbers: readonly Range[]
  /** Lower bound of their time of storage, in milliseconds since 1970; absent without an older message to compare. */
  readonly storedAfter?: number | undefined
  /** Upper bound of their time of storage, in milliseconds since 1970; absent without a newer message to compare. */
  readonly storedBefore?: number | undefined
  /** The damage, an error with the code `STORE_DAMAGED`. */
  readonly error: AlvariumError
}

/**
 * Event for stored messages that are lost, because their records were altered, or are missing. The others are
 * delivered.
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
