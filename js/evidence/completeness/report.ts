import { printable, quote } from '../../foundation/base/text/text.js'
import type { Judged } from '../../foundation/model/outcome.js'
import { VERDICT_WORDS } from '../../foundation/model/verdict-words.js'
import type { WitnessVerdict } from '../witness/witnessed-log.js'

/** Findings about one signer. Times are by the signer's clock. */
export interface SignerReport extends Judged {
  /** Key id of the signer. */
  readonly signer: string
  /** Name of the signer in the trust policy. Undefined with a `Keyring`. */
  readonly name?: string | undefined
  /**
   * Verdict. `'complete'`: all messages up to the last checkpoint of each run are present. `'incomplete'`:
   * messages are missing or in no log, or a log is forked. `'unknown'`: nobody can know whether messages are
   * missing; see `unknown`, `pending` and `gaps`.
   */
  readonly verdict: 'complete' | 'unknown' | 'incomplete'
  /** Number of received messages, each counted once. */
  readonly messages: number
  /** Runs of the signer, grouped by key, in the order in which they were added. */
  readonly runs: readonly RunReport[]
  /** Absent messages that a checkpoint lists, except `refused` and `pending` ones. */
  readonly missing: readonly Missing[]
  /** Parts of logs that no known checkpoint lists. */
  readonly gaps: readonly Gap[]
  /** Minimum number of messages missing in `gaps`: positions in gaps that no received message fits. */
  readonly missingInGaps: number
  /** Logs that the signer has signed in two versions. */
  readonly forks: readonly Fork[]
  /** Messages in no log, although all logs of their time are known. They are backdated, or signed with a stolen key. */
  readonly unlisted: readonly Unlisted[]
  /** Number of absent messages that the signer's stream rejected, according to the signer. */
  readonly refused: number
  /**
   * Number of absent messages that the stream had not accepted, and whose fate no known checkpoint decides.
   */
  readonly pending: number
  /**
   * Number of received messages that an unknown checkpoint may list, for example messages after the last
   * known one.
   */
  readonly unknown: number
  /** Verdict on whether witnesses have seen the runs. Undefined without the option `witnesses`. */
  readonly witnessed?: SeenRuns | undefined
}

/** Key id and run id of a run. Runs of different keys differ, even if their run ids are equal. */
export interface RunName {
  /** Id of the key that signs the checkpoints of the run. With a lease, this id differs from `signer`. */
  readonly keyId: string
  /** Run id: 32 hexadecimal digits. */
  readonly run: string
}

/** A run: the use of one private key by one open SDK. */
export interface RunReport extends RunName {
  /** Number of messages in the log at the last known checkpoint. */
  readonly size: number
  /**
   * Number of messages before the list of the first known checkpoint. `gaps` lists these messages if the
   * previous run is known.
   */
  readonly before: number
  /** Number of known checkpoints. */
  readonly checkpoints: number
  /** Time at which the run began. If its first checkpoints are unknown, the time of the last unknown one. */
  readonly since: string
  /** Time at which the last known checkpoint was signed. */
  readonly until: string
  /** True if the last checkpoint ends the run. False if the run continues, or if its process was killed. */
  readonly hasEnded: boolean
}

/** Part of a log from one position to another, both included. */
export interface Gap extends RunName {
  /** First position in the gap. Positions count from 0. */
  readonly first: number
  /** Last position in the gap. */
  readonly last: number
  /** Messages in the gap were signed after this time, according to the checkpoints. */
  readonly since: string
  /** Messages in the gap were signed before this time, according to the checkpoints. */
  readonly until: string
}

/** Absent messages that a checkpoint lists. */
export interface Missing extends Gap {
  /** Number of missing bundles. Bundles that were extracted from an otherwise missing batch do not count. */
  readonly bundles: number
}

/** A log that its signer has signed in two versions. */
export interface Fork extends RunName {
  /** Size of the log at which the versions differ. */
  readonly size: number
}

/** A message that is in no log. */
export interface Unlisted {
  /** Smallest bundle id in the message. */
  readonly id: string
  /** Timestamp of the bundle with the id `id`, by the signer's clock. */
  readonly timestamp: string
}

/** Verdict on whether witnesses have seen the runs of a signer. */
export interface SeenRuns extends Judged, Pick<WitnessVerdict, 'verdict' | 'of' | 'quorum' | 'faults'> {
  /**
   * RFC 3339 time by which a quorum had seen all messages of each run. Undefined if some are unseen, or there
   * are none.
   */
  readonly since?: string | undefined
  /** Minimum number of witnesses that had seen each run by the time `since`. */
  readonly seen: number
  /** Number of messages in checkpoints that no quorum has seen. */
  readonly unseen: number
}

export type SignerFindings = Omit<SignerReport, 'verdict' | keyof Judged>

type Counts = readonly (readonly [count: number, text: string])[]

/**
 * Returns the verdict on a signer, by the findings (FORMAT.md, Words of verdicts).
 *
 * @param prunedOrMissing - number of absent messages that checkpoints list, and that may have been pruned
 */
export function verdictOn(found: SignerFindings, prunedOrMissing = 0): SignerReport {
  const signerName = shownSigner(found)
  const faults = faultsOf(found)
  const doubts = doubtsOf(found, prunedOrMissing)
  const judged = judgedBy(signerName, faults, doubts, found)
  const { signer, name, ...rest } = found
  // Add the verdict twice: early for people who read the JSON, and last to override an earlier verdict.
  return { signer, name, ...judged, ...rest, ...judged }
}

/** Returns the name, or else the key id. Escapes the name, because the owner of a store can alter it. */
export function shownSigner({ signer, name }: Pick<SignerReport, 'signer' | 'name'>): string {
  return name === undefined ? signer : quote(printable(name))
}

type Verdict = Pick<SignerReport, 'verdict' | keyof Judged>

function judgedBy(
  signerName: string,
  faults: readonly string[],
  doubts: readonly Doubt[],
  found: SignerFindings,
): Verdict {
  if (faults.length > 0) return incomplete(signerName, faults)
  return doubts.length > 0 ? unknown(signerName, doubts) : complete(signerName, found)
}

function complete(signerName: string, { runs, refused }: SignerFindings): Verdict {
  const listed = runs.reduce((total, { size }) => total + size, 0)
  const but = refused > 0 ? `, but for ${refused} that its stream refused, as it says itself` : ''
  const says = `${listed === 1 ? 'the one message' : `all ${listed} messages`} that the checkpoints of ${signerName} list ${listed === 1 ? 'is' : 'are'} here${but}`
  return { verdict: 'complete', outcome: VERDICT_WORDS.complete, says }
}

function incomplete(signerName: string, faults: readonly string[]): Verdict {
  const says = `the checkpoints of ${signerName} show: ${faults.join(', ')}`
  return { verdict: 'incomplete', outcome: VERDICT_WORDS.incomplete, says }
}

function unknown(signerName: string, doubts: readonly Doubt[]): Verdict {
  const says = `nothing is known to be missing of ${signerName}, but ${doubts.map(({ text }) => text).join(', and ')}`
  return { verdict: 'unknown', outcome: VERDICT_WORDS.unknown, says, needs: (doubts[0] as Doubt).needs }
}

function faultsOf({ missing, missingInGaps, forks, unlisted }: SignerFindings): string[] {
  const absent = missing.reduce((total, { first, last }) => total + last - first + 1, 0)
  const counts: Counts = [
    [absent, `${absent} listed and not here`],
    [missingInGaps, `at least ${missingInGaps} not here where checkpoints are missing too`],
    [forks.length, `logs told in two ways, ${forks.length}`],
    [unlisted.length, `${unlisted.length} here and in no log`],
  ]
  return counts.flatMap(([count, text]) => (count > 0 ? [text] : []))
}

/** A reason why completeness cannot be known, and the next step. */
interface Doubt {
  readonly text: string
  readonly needs: string
}

function doubtsOf(
  { runs, gaps, pending, unknown: unlisted }: SignerFindings,
  prunedOrMissing: number,
): Doubt[] {
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
  const before = sum(runs.map((run) => run.before))
  const inGaps = sum(gaps.map(({ first, last }) => last - first + 1))
  const lists = 'add the checkpoints that list them'
  const doubts: readonly (readonly [isSo: boolean, text: string, needs: string])[] = [
    [runs.length === 0, 'no checkpoint from this signer was given', 'add its checkpoints'],
    [inGaps > 0, `no given checkpoint lists ${inGaps} of its messages`, lists],
    [before > 0, `${before} came before its first given checkpoint`, lists],
    [pending > 0, `${pending} were still in transit at its last checkpoint`, 'add its next checkpoint'],
    [unlisted > 0, `${unlisted} that were given are in no checkpoint`, lists],
    [
      prunedOrMissing > 0,
      `${prunedOrMissing} were pruned or are missing`,
      'ask someone who has an older copy',
    ],
  ]
  return doubts.flatMap(([isSo, text, needs]) => (isSo ? [{ text, needs }] : []))
}
