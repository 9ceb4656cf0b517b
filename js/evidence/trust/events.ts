import type { AlvariumError } from '../../foundation/base/errors.js'
import type { PolicyDifference } from './difference.js'

/**
 * Event of a trust that has a new policy: one for each update that changes anything.
 *
 * @example
 * ```ts
 * trust.addEventListener('updated', ({ added, removed, changed }) => console.info({ added, removed, changed }))
 * ```
 */
export class TrustUpdatedEvent extends Event implements PolicyDifference {
  /** Names of signers that were added. */
  readonly added: readonly string[]
  /** Names of signers that were removed. */
  readonly removed: readonly string[]
  /** Names of signers whose entries were changed. */
  readonly changed: readonly string[]

  /** @internal */
  constructor({ added, removed, changed }: PolicyDifference) {
    super('updated')
    this.added = added
    this.removed = removed
    this.changed = changed
  }
}

/**
 * Event of a watched file that has changed, and cannot be read or is not a valid policy. The previous policy still
 * holds.
 *
 * @example
 * ```ts
 * trust.addEventListener('updatefailed', ({ error }) => console.error(error.message))
 * ```
 */
export class TrustUpdateFailedEvent extends Event {
  /** `CONFIG_INVALID`, with a line for each invalid member. */
  readonly error: AlvariumError

  /** @internal */
  constructor(error: AlvariumError) {
    super('updatefailed')
    this.error = error
  }
}

/** Names and types of a trust's events. */
export interface TrustEventMap {
  /** See {@link TrustUpdatedEvent}. */
  updated: TrustUpdatedEvent
  /** See {@link TrustUpdateFailedEvent}. */
  updatefailed: TrustUpdateFailedEvent
}

export const TRUST_EVENTS: readonly (keyof TrustEventMap)[] = ['updated', 'updatefailed']
