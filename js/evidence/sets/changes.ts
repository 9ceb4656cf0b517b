import { callTurns } from '../../foundation/base/time/turns.js'
import { compared } from './entries.js'
import { INSIDE, type KeyList } from './key-list.js'

/** Entry that only one of two lists has. */
export interface Difference {
  readonly what: 'added' | 'removed'
  readonly entry: Uint8Array
  /** Position in the list that has it. `other` is the position that it would have in the other list. */
  readonly place: number
  readonly other: number
}

const OFTEN = 8192

/** Yields the differences of two lists in ascending order, and reads both once. */
export async function* differences(before: KeyList, after: KeyList): AsyncGenerator<Difference, void> {
  const [old, now] = [before[INSIDE].entries, after[INSIDE].entries]
  for (let [at, to, steps] = [0, 0, 0]; at < old.length || to < now.length; steps++) {
    if (steps % OFTEN === 0) await callTurns.takeLong()
    const order = at >= old.length ? 1 : to >= now.length ? -1 : comparedAt(old, at, now, to)
    if (order > 0) yield { what: 'added', entry: now.at(to), place: to, other: at }
    if (order < 0) yield { what: 'removed', entry: old.at(at), place: at, other: to }
    if (order <= 0) at++
    if (order >= 0) to++
  }
}

type Entries = KeyList[typeof INSIDE]['entries']

function comparedAt(left: Entries, at: number, right: Entries, to: number): number {
  return compared(left.blockOf(at), left.offsetOf(at), right.blockOf(to), right.offsetOf(to))
}
