import type { Judged } from '../../foundation/model/outcome.js'
import type { WitnessVerdict } from '../witness/verdict.js'

/** Findings about one signer. Times are by the signer's clock. */
export interface SignerReport extends Judged {
  /** Key id of the signer. */
  readonly signer: string
  /** Name of the signer in the trust policy, if there is one. */
  readonly name?: string | undefined
  /**
   * Verdict. `'incomplete'`: messages are missing or in no log, or the log is forked. `'unknown'`: part of it cannot
   * be known: see `unknown`, `pending` and `gaps`. `'complete'`: all messages are there, up to the last checkpoint of
   * each run.
   */
  readonly verdict: 'complete' | 'unknown' | 'incomplete'
  /** Number of messages that are there, each counted once. */
  readonly messages: number
  /** Runs, key by key, in the order in which they were added. */
  readonly runs: readonly RunReport[]
  /** Absent messages that a checkpoint lists. */
  readonly missing: readonly Missing[]
  /** Parts of logs without checkpoints: no one knows their messages. */
  readonly gaps: readonly Gap[]
  /** Minimum number of absent messages in `gaps`: the gaps have this many more positions than messages that fit them. */
  readonly missingInGaps: number
  /** Logs of which two versions were signed. */
  readonly forks: readonly Fork[]
  /** Messages that are in no log, although all logs of their time are known: backdated, or signed with a stolen key. */
  readonly unlisted: readonly Unlisted[]
  /** Number of absent messages that the signer's stream refused, by the signer's own statement. */
  readonly refused: number
  /** Number of absent messages that the signer's stream had not accepted at the last known checkpoint. */
  readonly pending: number
  /** Number of messages that may be in an unknown log: newer than the last checkpoint, for example. */
  readonly unknown: number
  /** Verdict of the reader's witnesses on the runs. Undefined if the reader has none. */
  readonly witnessed?: SeenRuns | undefined
}

/** Key id and run id of a run. Runs of different keys differ, even if their run ids are equal. */
export interface RunName {
  /** Key id of the key that signs its checkpoints. With a lease, it differs from `signer`. */
  readonly keyId: string
  /** Run id: 32 hexadecimal digits. */
  readonly run: string
}

/** A run: one life of a signer. */
export interface RunReport extends RunName {
  /** Number of messages, up to the last checkpoint. */
  readonly size: number
  /** Number of messages before the first known checkpoint. They are one of `gaps`, if the run before this one is known. */
  readonly before: number
  /** Number of known checkpoints. */
  readonly checkpoints: number
  /** Time at which the run began, or at which the checkpoint before the first known one was signed. */
  readonly since: string
  /** Time at which the last checkpoint was signed. */
  readonly until: string
  /** True if the last checkpoint ends the run. Otherwise the run goes on, or was killed. */
  readonly hasEnded: boolean
}

/** A part of a log, from one position to another, both included. */
export interface Gap extends RunName {
  /** First position, from 0. */
  readonly first: number
  /** Last position. */
  readonly last: number
  /** Last known time before the gap. */
  readonly since: string
  /** First known time after the gap. */
  readonly until: string
}

/** Absent messages that a checkpoint lists. */
export interface Missing extends Gap {
  /** Number of their absent bundles: all, or the rest of batches from which some were extracted. */
  readonly bundles: number
}

/** A log of which two versions were signed. */
export interface Fork extends RunName {
  /** Size of the log at which the versions differ. */
  readonly size: number
}

/** A message that is in no log. */
export interface Unlisted {
  /** Id of its first bundle. */
  readonly id: string
  /** Timestamp of that bundle, by the signer's clock. */
  readonly timestamp: string
}

/** Verdict of witnesses on the runs of a signer. */
export interface SeenRuns extends Judged, Pick<WitnessVerdict, 'verdict' | 'of' | 'quorum' | 'faults'> {
  /** Time by which a quorum had seen a checkpoint of each run with its whole size: no list has grown since. RFC 3339. */
  readonly since?: string | undefined
  /** Minimum number of witnesses that had seen each run by then. */
  readonly seen: number
  /** Number of messages in lists that no quorum has seen. */
  readonly unseen: number
}
