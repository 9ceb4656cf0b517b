import type { Missing, RunName } from './report.js'

/** A listed message that is not there. */
export interface AbsentMessage {
  readonly position: number
  /** How many bundles of it are not there. */
  readonly bundles: number
  readonly since: string
  readonly until: string
}

/** Messages at positions that follow one another, as one. */
export function joined(run: RunName, absent: Iterable<AbsentMessage>): Missing[] {
  const missing: Missing[] = []
  for (const one of absent) join(missing, run, one)
  return missing
}

/** The same for one after the other. */
export function join(missing: Missing[], { keyId, run }: RunName, one: AbsentMessage): void {
  const { position, bundles, since, until } = one
  const before = missing.at(-1)
  if (before?.last !== position - 1)
    missing.push({ keyId, run, first: position, last: position, bundles, since, until })
  else Object.assign(before, { last: position, bundles: before.bundles + bundles, until })
}
