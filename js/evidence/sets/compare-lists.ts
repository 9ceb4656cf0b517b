import { callTurns } from '../../foundation/base/time/turns.js'
import { type KeyList, LIST_CONTENTS } from './key-list.js'

/** Entry that only one of two lists contains. */
export interface EntryChange {
  readonly change: 'added' | 'removed'
  readonly entry: Uint8Array
  /** `otherPlace` is where the other list would contain the entry. */
  readonly place: number
  readonly otherPlace: number
}

const STEP_ENTRIES = 8192

/** Yields the differences in ascending order, in one pass. */
export async function* compareLists(before: KeyList, after: KeyList): AsyncGenerator<EntryChange, void> {
  const [old, now] = [before[LIST_CONTENTS].entries, after[LIST_CONTENTS].entries]
  for (let [at, to, steps] = [0, 0, 0]; at < old.length || to < now.length; steps++) {
    if (steps % STEP_ENTRIES === 0) await callTurns.yieldIfDueLong()
    const order =
      at >= old.length ? 1 : to >= now.length ? -1 : old.compare(at, now.blockOf(to), now.offsetOf(to))
    if (order > 0) yield { change: 'added', entry: now.at(to), place: to, otherPlace: at }
    if (order < 0) yield { change: 'removed', entry: old.at(at), place: at, otherPlace: to }
    if (order <= 0) at++
    if (order >= 0) to++
  }
}
