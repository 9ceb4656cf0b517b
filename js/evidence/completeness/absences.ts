import type { Checkpoint } from './checkpoint/text.js'
import { type Fate, Fates } from './fates.js'
import type { Gap, RunName } from './report.js'
import type { SeenSnapshot } from './seen.js'
import { clampSpan } from './times.js'

export type { Fate } from './fates.js'

/** Listed messages at consecutive positions that are absent, whole or in part, with the same {@link Fate}. */
export interface Absence extends Gap {
  /** Number of missing bundles in the messages of this range. */
  readonly bundles: number
  readonly fate: Fate
}

type Listing = Pick<Checkpoint, 'number' | 'size' | 'from' | 'at' | 'entries' | 'pending' | 'refused'>

interface AbsentMessage {
  readonly position: number
  readonly bundles: number
  readonly since: string
  until: string
  fate: Fate
}

const STEP = 1024

/**
 * Returns every absent message that is listed in the checkpoints of a run, in the order of the log. Yields
 * between steps, so that the caller can let other tasks run: the checkpoints can list very many messages.
 *
 * @param checkpoints - the checkpoints of the run, in the order of their numbers
 * @param seen - the received messages that the key of the run signed
 */
export function* absencesIn(
  run: RunName,
  checkpoints: readonly Listing[],
  seen: SeenSnapshot,
): Generator<void, Absence[]> {
  const fates = new Fates<AbsentMessage>((one, fate) => {
    one.fate = fate === 'pending' ? 'undecided' : fate
  })
  const absences: Absence[] = []
  const absent: AbsentMessage[] = []
  let number = -1
  for (const checkpoint of checkpoints) {
    fates.settle(checkpoint, checkpoint.number === number + 1)
    const messages = yield* absentIn(checkpoint, seen)
    fates.list(checkpoint, messages)
    for (const one of messages) absent.push(one)
    number = checkpoint.number
    yield
  }
  for (const [place, one] of absent.entries()) {
    if (place % STEP === 0) yield
    append(absences, run, one)
  }
  return absences
}

function* absentIn({ entries, from, at }: Listing, seen: SeenSnapshot): Generator<void, AbsentMessage[]> {
  const absent: AbsentMessage[] = []
  let [since, first] = [from.at, 0]
  for (const [index, entry] of entries.entries()) {
    if (index % STEP === 0) yield
    const time = seen.timeOf(entry.id)
    const bundles = seen.missingOf(entry)
    const position = from.size + index
    if (bundles > 0) absent.push({ position, bundles, ...clampSpan(since, at), fate: 'undecided' })
    if (time === undefined) continue
    for (; first < absent.length; first++) {
      const one = absent[first] as AbsentMessage
      one.until = clampSpan(one.since, time).until
    }
    since = time
  }
  return absent
}

function append(absences: Absence[], { keyId, run }: RunName, one: AbsentMessage): void {
  const { position, bundles, since, until, fate } = one
  const before = absences.at(-1)
  if (before?.last === position - 1 && before.fate === fate)
    Object.assign(before, { last: position, bundles: before.bundles + bundles, until })
  else absences.push({ keyId, run, first: position, last: position, bundles, since, until, fate })
}
