import { trustTurns } from '../base/time/turns.js'
import type { Policy } from './policy.js'

/** Which signers differ between two policies, by their names. */
export interface PolicyDifference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** Signers as they were written, by their names; and what is said for all of them. */
export type WrittenMembers = ReadonlyMap<string, string>

/**
 * In parts, as there may be very many.
 *
 * @param policy - one that has been checked
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
