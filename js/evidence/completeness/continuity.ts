import type { Checkpoint } from './checkpoint/text.js'
import type { Gap } from './report.js'
import { msOf } from './times.js'

/** Relation of a checkpoint to the known one before it, in the same run. */
export type Continuation = 'next' | 'gap' | 'forked'

/**
 * Compares a checkpoint with the known one before it. A log is forked if it shrinks, or if the next number does not
 * continue it.
 */
export function continuationOf(
  before: Pick<Checkpoint, 'number' | 'size'>,
  { number, from }: Pick<Checkpoint, 'number' | 'from'>,
): Continuation {
  if (from.size === before.size) return 'next'
  return from.size < before.size || number === before.number + 1 ? 'forked' : 'gap'
}

/** Part of a run before its first known checkpoint. */
export interface LostBeginning extends Pick<Gap, 'first' | 'last' | 'since' | 'until'> {
  /** True if the absent messages of this part are missing. Otherwise no one can know. */
  readonly isMissing: boolean
}

/** A known run that ended before another one began. */
export interface EndedRun {
  /** Time of its last known checkpoint. */
  readonly at: string
  /** True if absent messages of the run are missing, because the reader was listening when they were published. */
  readonly wasHeard: boolean
}

/** Time before every timestamp of a signer. */
const EARLIEST = '0000-01-01T00:00:00.000000Z'

/**
 * Returns the lost beginning of a run; undefined if nothing of it is lost, or all of it was signed before the reader listened.
 *
 * @param from - the size and time at which the first known checkpoint of the run begins
 * @param before - the run that it names as the one before it, if that is known
 * @param listeningSince - the time since which the reader listens, in milliseconds since 1970. Default: forever
 */
export function lostBeginning(
  from: Checkpoint['from'],
  before: EndedRun | undefined,
  listeningSince = Number.NEGATIVE_INFINITY,
): LostBeginning | undefined {
  const isMissing = before?.wasHeard === true
  if (from.size === 0 || (!isMissing && msOf(from.at) < listeningSince)) return undefined
  return { first: 0, last: from.size - 1, since: isMissing ? before.at : EARLIEST, until: from.at, isMissing }
}
