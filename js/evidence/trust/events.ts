import type { AlvariumError } from '../../foundation/base/errors.js'
import { trustTurns } from '../../foundation/base/time/turns.js'
import type { Policy } from './policy/policy.js'

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

/** Names of the signers that differ between two policies. */
export interface PolicyDifference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** Signers in JSON by their names, each with the policy's defaults that apply to it. */
export type SignerTexts = ReadonlyMap<string, string>

/**
 * Writes the signers in JSON, in parts because there may be very many.
 *
 * @param policy - a checked policy
 */
export async function writeSigners({ signers, ...all }: Policy): Promise<SignerTexts> {
  const written = new Map<string, string>()
  for (const one of signers) {
    await trustTurns.yieldIfDue()
    const own = [one.acceptLateMs ?? all.acceptLateMs, one.maxLeaseMs ?? all.maxLeaseMs]
    written.set(one.name, JSON.stringify([one, ...own]))
  }
  return written
}

export function comparePolicies(before: SignerTexts, after: SignerTexts): PolicyDifference {
  const names = [...after.keys()]
  return {
    added: names.filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: names.filter((name) => before.has(name) && before.get(name) !== after.get(name)),
  }
}

export function isEmpty({ added, removed, changed }: PolicyDifference): boolean {
  return added.length + removed.length + changed.length === 0
}
