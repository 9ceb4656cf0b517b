import type { Missing, RunName } from './report.js'

/** An absent message that a checkpoint lists. */
export interface AbsentMessage {
  readonly position: number
  /** Number of its bundles that are absent. */
  readonly bundles: number
  readonly since: string
  readonly until: string
}

/** Joins absent messages at consecutive positions. */
export function join({ keyId, run }: RunName, absent: Iterable<AbsentMessage>): Missing[] {
  const missing: Missing[] = []
  for (const { position, bundles, since, until } of absent) {
    const before = missing.at(-1)
    if (before?.last === position - 1)
      Object.assign(before, { last: position, bundles: before.bundles + bundles, until })
    else missing.push({ keyId, run, first: position, last: position, bundles, since, until })
  }
  return missing
}
