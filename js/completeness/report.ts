import type { Judged } from '../model/outcome.js'
import type { WitnessVerdict } from '../witness/verdict.js'

/** What is known about one signer. Times are the signer's own. */
export interface SignerReport extends Judged {
  /** Key id. */
  readonly signer: string
  /** The signer's name, where a trust policy gave it one. */
  readonly name?: string | undefined
  /**
   * `'incomplete'`: something is missing, in no log, or its log is forked. `'unknown'`: part of it cannot be known: see `unknown`,
   * `pending` and `gaps`. `'complete'`: everything is there, up to the last checkpoint of each run.
   */
  readonly verdict: 'complete' | 'unknown' | 'incomplete'
  /** Messages that are there, each counted once. */
  readonly messages: number
  /** Runs, key by key, in the order in which they were heard of. */
  readonly runs: readonly RunReport[]
  /** Messages that a checkpoint lists, and that are not there. */
  readonly missing: readonly Missing[]
  /** Where checkpoints are not there either: parts of logs, of which nobody knows the messages. */
  readonly gaps: readonly Gap[]
  /** Least number of messages in `gaps` that are not there: the gaps have so many more positions than messages fit them. */
  readonly missingInGaps: number
  /** Logs that were told in two ways. */
  readonly forks: readonly Fork[]
  /** Messages that are in no log, although all logs of their time are known: backdated, or signed with a stolen key. */
  readonly unlisted: readonly Unlisted[]
  /** Messages that are not there, and that the signer's stream refused: the signer says so itself. */
  readonly refused: number
  /** Messages that are not there, and that the signer's stream had not accepted when it was last heard of. */
  readonly pending: number
  /** Messages that are there, and may be in a log that is not known: newer than the last checkpoint, for example. */
  readonly unknown: number
  /** Verdict of the reader's witnesses on its runs. There if the reader has any. */
  readonly witnessed?: SeenRuns | undefined
}

/** A run, by its two names: what another key says of a run with the same id is about another run. */
export interface RunName {
  /** Key id of the key that signs its checkpoints. With a lease, that is not the key of `signer`. */
  readonly keyId: string
  /** The run: 32 hexadecimal digits. */
  readonly run: string
}

/** One life of a signer. */
export interface RunReport extends RunName {
  /** Messages, up to the last checkpoint. */
  readonly size: number
  /** Number of those before the first checkpoint that is there. They are one of `gaps`, if the run before this one is known. */
  readonly before: number
  /** How many checkpoints are there. */
  readonly checkpoints: number
  /** When it began, or when the checkpoint before the first that is there was signed. */
  readonly since: string
  /** When the last checkpoint was signed. */
  readonly until: string
  /** Whether that one says that the run has ended. Otherwise it goes on, or was killed. */
  readonly hasEnded: boolean
}

/** A part of a log, from one position to another, both included. */
export interface Gap extends RunName {
  /** Its first position, from 0. */
  readonly first: number
  /** Its last position. */
  readonly last: number
  /** The last time that is known before it. */
  readonly since: string
  /** The first time that is known after it. */
  readonly until: string
}

/** Messages that are listed and not there. */
export interface Missing extends Gap {
  /** How many bundles they have; of batches from which some were taken out, how many are not there. */
  readonly bundles: number
}

/** A log that was told in two ways. */
export interface Fork extends RunName {
  /** Up to which size both are told. */
  readonly size: number
}

/** A message that is in no log. */
export interface Unlisted {
  /** The id of its first bundle. */
  readonly id: string
  /** When that bundle was made, as its signer says. */
  readonly timestamp: string
}

/** The verdict of witnesses on the runs of a signer. */
export interface SeenRuns extends Judged, Pick<WitnessVerdict, 'verdict' | 'of' | 'quorum' | 'faults'> {
  /** Time by which a quorum had seen a checkpoint of each run that has its whole size: nothing was added to its list since. RFC 3339. */
  readonly since?: string | undefined
  /** Number of witnesses that had seen each run by then, at least. */
  readonly seen: number
  /** Number of messages in lists that no quorum has seen. */
  readonly unseen: number
}
