import type { Gap } from './report.js'
import type { Checkpoint } from './text.js'
import { msOf } from './times.js'

/** How a checkpoint follows the known one before it, of the same run. */
export type Continuation = 'next' | 'gap' | 'forked'

/** A log that shrinks is forked, and one that the checkpoint with the next number does not continue. */
export function continuationOf(
  before: Pick<Checkpoint, 'number' | 'size'>,
  { number, from }: Pick<Checkpoint, 'number' | 'from'>,
): Continuation {
  if (from.size === before.size) return 'next'
  return from.size < before.size || number === before.number + 1 ? 'forked' : 'gap'
}

/** The part of a run before its first known checkpoint. */
export interface LostBeginning extends Pick<Gap, 'first' | 'last' | 'since' | 'until'> {
  /** Whether what is not there of it is missing; otherwise nobody can know. */
  readonly isMissing: boolean
}

/** A run that is known, and ended before another one began. */
export interface EndedRun {
  /** When its last known checkpoint was signed. */
  readonly at: string
  /** Whether what is not there of it is missing: somebody has listened when it was published. */
  readonly isJudged: boolean
}

/** Before every time of a signer. */
const EVER = '0000-01-01T00:00:00.000000Z'

/**
 * The lost beginning of a run: undefined if nothing of it is lost, or all of it was signed before anybody listened.
 *
 * @param from - where the first known checkpoint of the run begins
 * @param before - the run that it names as the one before it, if that is known
 * @param listeningSince - when somebody began to listen, in milliseconds since 1970; what was kept goes back for ever
 */
export function lostBeginning(
  from: Checkpoint['from'],
  before: EndedRun | undefined,
  listeningSince = Number.NEGATIVE_INFINITY,
): LostBeginning | undefined {
  const isMissing = before?.isJudged === true
  if (from.size === 0 || (!isMissing && msOf(from.at) < listeningSince)) return undefined
  return { first: 0, last: from.size - 1, since: isMissing ? before.at : EVER, until: from.at, isMissing }
}
