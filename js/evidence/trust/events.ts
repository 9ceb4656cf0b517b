import type { AlvariumError } from '../../foundation/base/errors.js'
import { trustTurns } from '../../foundation/base/time/turns.js'
import type { Policy } from './policy/policy.js'

/**
 * Event that an update has changed the trust policy. `added`, `removed` and `changed` are all empty if only
 * the policy's witnesses or their quorum have changed.
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
  /** Names of signers with changed entries. */
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
 * Event that a watched file has changed, but is unreadable or not a valid policy. The previous policy stays in force.
 *
 * @example
 * ```ts
 * trust.addEventListener('updatefailed', ({ error }) => console.error(error.message))
 * ```
 */
export class TrustUpdateFailedEvent extends Event {
  /** Error `CONFIG_INVALID`, with a line for each invalid member, at most 50. */
  readonly error: AlvariumError

  /** @internal */
  constructor(error: AlvariumError) {
    super('updatefailed')
    this.error = error
  }
}

/** Event types of `Trust`. Only a watched policy dispatches `updatefailed`. */
export interface TrustEventMap {
  /** Event after an update that changed the policy. */
  updated: TrustUpdatedEvent
  /** Event after a watched file could not be read as a policy. */
  updatefailed: TrustUpdateFailedEvent
}

export const TRUST_EVENTS: readonly (keyof TrustEventMap)[] = ['updated', 'updatefailed']

/** Names of the signers that differ between two policies. */
export interface PolicyDifference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** JSON of each signer by name, including the policy's defaults that apply to the signer. */
export type SignerTexts = ReadonlyMap<string, string>

export async function writeSigners({ signers, ...all }: Policy): Promise<SignerTexts> {
  const texts = new Map<string, string>()
  for (const one of signers) {
    await trustTurns.yieldIfDue()
    const limits = [one.acceptLateMs ?? all.acceptLateMs, one.maxLeaseMs ?? all.maxLeaseMs]
    texts.set(one.name, JSON.stringify([one, ...limits]))
  }
  return texts
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
