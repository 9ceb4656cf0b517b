import type { Checkpoint } from './checkpoint/text.js'
import type { Gap } from './report.js'
import { msOf } from './times.js'

export type Continuation = 'next' | 'gap' | 'forked'

/**
 * Compares a checkpoint with the previous known checkpoint of the run. A log is forked if it shrinks, or if
 * the checkpoint with the next number does not continue it.
 */
export function continuationOf(
  before: Pick<Checkpoint, 'number' | 'size'>,
  { number, from }: Pick<Checkpoint, 'number' | 'from'>,
): Continuation {
  if (from.size === before.size) return 'next'
  return from.size < before.size || number === before.number + 1 ? 'forked' : 'gap'
}

/** Part of a run before the run's first known checkpoint. */
export interface LostBeginning extends Pick<Gap, 'first' | 'last' | 'since' | 'until'> {
  /** True if the absent messages of this part count as missing. False if they count as unknown. */
  readonly isMissing: boolean
}

/** Known run that ended before the next run of the key began. */
export interface EndedRun {
  /** Time of the run's last known checkpoint. */
  readonly at: string
  /** True if the reader listened when the run's messages were published. Absent messages are then missing. */
  readonly wasListening: boolean
}

/** Time that is earlier than every timestamp of a signer. */
const EARLIEST = '0000-01-01T00:00:00.000000Z'

/**
 * Returns the lost beginning of a run. Returns undefined if there is none, or if it ends before
 * `listeningSince` and does not count as missing.
 *
 * @param from - size and time at which the first known checkpoint of the run begins
 * @param before - the previous run that the run names, if that run is known
 * @param listeningSince - time at which the reader began to listen, in ms since 1970. Default: it has always
 * listened
 */
export function lostBeginning(
  from: Checkpoint['from'],
  before: EndedRun | undefined,
  listeningSince = Number.NEGATIVE_INFINITY,
): LostBeginning | undefined {
  const isMissing = before?.wasListening === true
  if (from.size === 0 || (!isMissing && msOf(from.at) < listeningSince)) return undefined
  return { first: 0, last: from.size - 1, since: isMissing ? before.at : EARLIEST, until: from.at, isMissing }
}
