import type { Missing, RunName } from './report.js'

/** A listed message that is not there. */
export interface AbsentMessage {
  readonly position: number
  /** How many bundles of it are not there. */
  readonly bundles: number
  readonly since: string
  readonly until: string
}

/** Joins messages at positions that follow one another. */
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
