import { trustTurns } from '../../foundation/base/time/turns.js'
import type { Policy } from './policy.js'

/** Names of the signers that differ between two policies. */
export interface PolicyDifference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** Signers in JSON by their names, each with the policy's defaults that apply to it. */
export type WrittenMembers = ReadonlyMap<string, string>

/**
 * Writes the signers in JSON, in parts because there may be very many.
 *
 * @param policy - a checked policy
 */
export async function writtenSigners({ signers, ...all }: Policy): Promise<WrittenMembers> {
  const written = new Map<string, string>()
  for (const one of signers) {
    await trustTurns.take()
    const own = [one.acceptLateMs ?? all.acceptLateMs, one.maxLeaseMs ?? all.maxLeaseMs]
    written.set(one.name, JSON.stringify([one, ...own]))
  }
  return written
}

export function differenceBetween(before: WrittenMembers, after: WrittenMembers): PolicyDifference {
  const names = [...after.keys()]
  return {
    added: names.filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: names.filter((name) => before.has(name) && before.get(name) !== after.get(name)),
  }
}

export function isSame({ added, removed, changed }: PolicyDifference): boolean {
  return added.length + removed.length + changed.length === 0
}
