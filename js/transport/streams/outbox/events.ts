import type { AlvariumError } from '../../../foundation/base/errors.js'
import type { Range } from './mark.js'
import type { SetAsideMessage } from './set-aside.js'

/**
 * Event for a stored message that the outbox dropped because of its age, a refusal, or a full store.
 *
 * @example
 * ```ts
 * const stream = outbox({ stream: mqtt({ url, topic }), store: './outbox' })
 * stream.addEventListener('dropped', ({ error, message }) => console.error(error, message.length))
 * ```
 */
export class DroppedEvent extends Event {
  /** The message that was passed to `publish`. You can store it elsewhere. */
  readonly message: Uint8Array
  /**
   * Reason for the drop, an `AlvariumError` with `STREAM_TIMEOUT` (older than `maxAgeMs`), `STREAM_REFUSED`
   * (by the broker), or `QUEUE_FULL` (dropped to make room for newer messages).
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
 * Event for a message that the outbox set aside, because the broker ends the connection whenever the message
 * is sent, and accepts others (`STREAM_SUSPECT`). The message stays in the store until `resend(id)` or
 * `discard(id)`.
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

/** Numbers of lost messages, their possible time of storage, and the error. */
export interface Damage {
  /** Number of lost messages, or 0 if the store's mark is lost, without which missing messages cannot be counted. */
  readonly count: number
  /** Ranges of the lost messages' numbers, which count from 1 in the order of the `publish` calls. */
  readonly numbers: readonly Range[]
  /** Time at which the record before the lost ones was stored, in milliseconds since 1970; absent if unknown. */
  readonly storedAfter?: number | undefined
  /** Time at which the record after the lost ones was stored, in milliseconds since 1970; absent if unknown. */
  readonly storedBefore?: number | undefined
  /** Error with the code `STORE_DAMAGED` that describes the damage. */
  readonly error: AlvariumError
}

/**
 * Event for stored messages that are lost, because their records are damaged or missing. The outbox delivers
 * all other messages.
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
