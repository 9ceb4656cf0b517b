import { Marked, type Positions } from './ranges.js'
import type { Gap } from './report.js'
import type { SeenUntil } from './seen.js'
import type { Checkpoint } from './text.js'
import { orderly } from './times.js'

/** The last that the signer is known to have said of a listed message that is not there. */
export type Fate =
  /** Nothing: its stream had accepted it. */
  | 'missing'
  /** Its stream had refused it. */
  | 'refused'
  /** Its stream had not accepted it yet, and the checkpoint that would say more is not there. */
  | 'undecided'

/** Listed messages at consecutive positions that are not there, of one fate. */
export interface Absence extends Gap {
  /** Bundles of theirs that are not there. */
  readonly bundles: number
  readonly fate: Fate
}

/** The parts of a checkpoint that say what was listed, and what became of it. */
type Listing = Pick<Checkpoint, 'number' | 'from' | 'at' | 'entries' | 'pending' | 'refused'>

interface AbsentMessage {
  readonly position: number
  readonly bundles: number
  readonly since: string
  until: string
}

/** Messages that are looked at in one step. */
const STEP = 1024

/**
 * Every listed message of a run that is not there, in the order of the log. In steps, as there may be very many.
 *
 * @param checkpoints - those of the run, in the order of their numbers
 */
export function* absencesIn(
  run: string,
  checkpoints: readonly Listing[],
  seen: SeenUntil,
): Generator<void, Absence[]> {
  const absent = ascending(yield* absentIn(checkpoints, seen))
  const fateOf = yield* fatesOf(absent, checkpoints)
  const absences: Absence[] = []
  for (const [place, one] of absent.entries()) {
    if (place % STEP === 0) yield
    append(absences, run, one, fateOf(place))
  }
  return absences
}

function* absentIn(checkpoints: readonly Listing[], seen: SeenUntil): Generator<void, AbsentMessage[]> {
  const absent: AbsentMessage[] = []
  for (const { entries, from, at } of checkpoints) {
    let since = from.at
    const open: AbsentMessage[] = []
    for (const [index, entry] of entries.entries()) {
      if (index % STEP === 0) yield
      const time = seen.timeOf(entry.id)
      const bundles = seen.missingOf(entry)
      if (bundles > 0) open.push({ position: from.size + index, bundles, ...orderly(since, at) })
      if (time === undefined) continue
      for (const one of open) one.until = orderly(one.since, time).until
      absent.push(...open.splice(0))
      since = time
    }
    absent.push(...open)
  }
  return absent
}

/** Each position once. Where a log was told in two ways, lists overlap. */
function ascending(absent: AbsentMessage[]): readonly AbsentMessage[] {
  const isAscending = absent.every(
    (one, at) => at === 0 || one.position > (absent[at - 1]?.position as number),
  )
  if (isAscending) return absent
  const byPosition = new Map(absent.map((one) => [one.position, one]))
  return [...byPosition.values()].sort((one, other) => one.position - other.position)
}

function* fatesOf(
  absent: readonly AbsentMessage[],
  checkpoints: readonly Listing[],
): Generator<void, (place: number) => Fate> {
  const [refused, undecided] = [new Marked(absent), new Marked(absent)]
  for (const [at, one] of checkpoints.entries()) {
    refused.mark(one.refused)
    undecided.mark(openIn(one, checkpoints[at + 1]))
    yield
  }
  return (place) => (refused.has(place) ? 'refused' : undecided.has(place) ? 'undecided' : 'missing')
}

/** A pending message is decided once the next list no longer has it. */
function openIn({ number, pending }: Listing, next: Listing | undefined): readonly Positions[] {
  return next?.number === number + 1 ? [] : pending
}

function append(absences: Absence[], run: string, one: AbsentMessage, fate: Fate): void {
  const { position, bundles, since, until } = one
  const before = absences.at(-1)
  if (before?.last === position - 1 && before.fate === fate)
    Object.assign(before, { last: position, bundles: before.bundles + bundles, until })
  else absences.push({ run, first: position, last: position, bundles, since, until, fate })
}
