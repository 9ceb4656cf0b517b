import type { LogCheckpoint } from '../../evidence/logs/checkpoint.js'
import type { LogVerifier } from '../../evidence/logs/key.js'
import type { WitnessVerdict } from '../../evidence/witness/witnessed-log.js'
import { withNoun } from '../../foundation/base/text/text.js'
import type { Judged } from '../../foundation/model/outcome.js'
import { VERDICT_WORDS, type VerdictWord } from '../../foundation/model/verdict-words.js'
import type { AuditedClassic } from './classic.js'
import type { Difference, Findings } from './findings.js'
import type { AuditedPrunings, Pruning } from './prunings.js'
import type { UntrustedSigner, UntrustedSigners } from './signers.js'

/**
 * Result of an audit: the verdict, the differences, and the numbers of entries that checkpoints protect.
 */
export interface AuditReport extends Judged {
  /**
   * Verdict of the audit:
   *
   * - `proved`: the log and its rows are as they were when the holder of `vkey` signed the checkpoint, or
   *   signed prunings removed them. The checkpoint was kept elsewhere, or a quorum of witnesses has seen it.
   * - `unsigned`: as `proved`, except for prunings or messages that no signed checkpoint covers. The database
   *   is the only evidence for these.
   * - `grown`: the log has only grown since the checkpoint `since`, and the rows of later entries agree with their
   *   messages.
   * - `unknown signer`: there are no differences, but the reader does not have the public keys of some
   *   messages.
   * - `unwitnessed`: there are no differences, but too few of the given witnesses have seen a checkpoint.
   * - `consistent`: the store does not contradict itself, but the owner could have made the whole store anew.
   * - `different`: see `differences`.
   */
  readonly verdict: Extract<
    VerdictWord,
    'proved' | 'grown' | 'unsigned' | 'unknown signer' | 'unwitnessed' | 'consistent' | 'different'
  >
  /** Verdict on whether, and when, a quorum of witnesses saw a stored checkpoint. Undefined without `witnesses`. */
  readonly witnessed?: WitnessVerdict | undefined
  /** Number of entries in the log: bundles, prunings, and annotations and messages of other SDKs. */
  readonly size: number
  /**
   * Number of entries protected by the kept checkpoint, or by one that a quorum of witnesses has seen. These
   * are all entries up to the checkpoint's size, except entries for which the database is the only evidence.
   * The number is 0 in each of these cases: there is no such checkpoint, `since` is given, the log's public
   * key is unknown, or there are differences.
   */
  readonly protected: number
  /** First log entry with rows that were read: 0, or with `since`, the first one after that checkpoint. */
  readonly from: number
  /** Newest stored note that `vkey` verified, if the outcome is `holds`. Pass it as `since` to the next audit. */
  readonly checkpoint?: string
  /** Number of entries that no kept or witnessed checkpoint protects, so that the owner could have altered them. */
  readonly unprotected: number
  /** Size of the log in the newest checkpoint that the store signed. */
  readonly signed: number
  /** Number of pruned bundles. The store has only their ids. */
  readonly pruned: number
  /** Number of bundles in prunings without a signed checkpoint. Without `vkey`, no checkpoint counts as signed. */
  readonly prunedUnsigned: number
  /**
   * Number of bundles pruned before the log had entries for prunings. The upgrade took this number from the
   * database.
   */
  readonly prunedEarlier: number
  /**
   * Number of annotations of other SDKs that the audit's checkpoint covers, although no signed checkpoint
   * covers the log entry of their message.
   */
  readonly classicUnsigned: number
  /** Number of other SDKs' annotations that were stored before the log had entries for the messages of these SDKs. */
  readonly classicEarlier: number
  /** Newest 1,000 prunings, with their times and checkpoints. Compare them with your own records. */
  readonly prunings: readonly Pruning[]
  /** Number of messages that were verified again. */
  readonly evidence: number
  /**
   * Signers that the reader's policy refuses, or that the reader does not know. Their messages do not count
   * as differences.
   */
  readonly untrusted: readonly UntrustedSigner[]
  /** First 1,000 differences, at most 250 of one kind, so that none hides the others. */
  readonly differences: readonly Difference[]
  /** Total number of differences, of which `differences` lists only the first ones. */
  readonly count: number
}

export interface AuditResult {
  readonly checkpoint: LogCheckpoint | undefined
  readonly verifier: LogVerifier | undefined
  readonly itself: boolean
  readonly from: number
  readonly witnessed?: WitnessVerdict | undefined
  readonly findings: Findings
  readonly untrusted: UntrustedSigners
  readonly size: number
  readonly signed: number
  readonly newest: LogCheckpoint | undefined
  readonly evidence: number
  readonly pruned: number
  readonly prunings: Omit<AuditedPrunings, 'left'>
  readonly classic: AuditedClassic
}

export function reportOf(result: AuditResult): AuditReport {
  const { findings, untrusted, from, size, signed, newest, verifier, evidence, pruned, classic } = result
  const { prunings, unsigned, earlier } = result.prunings
  const safe = protectedBy(result)
  const verdict = verdictOf(result, safe)
  const next = verdict.outcome === 'holds' && verifier ? newest?.note : undefined
  return {
    ...verdict,
    from,
    ...(next !== undefined && { checkpoint: next }),
    ...(result.witnessed && { witnessed: result.witnessed }),
    size,
    protected: safe,
    unprotected: size - safe,
    signed,
    pruned,
    prunedUnsigned: unsigned,
    prunedEarlier: earlier,
    classicUnsigned: classic.unsignedOfKept,
    classicEarlier: classic.earlier,
    prunings,
    evidence,
    untrusted: untrusted.all,
    differences: findings.differences,
    count: findings.count,
  }
}

/**
 * Counts the entries that the checkpoint protects. Entries for which the database is the only evidence do not
 * count. Returns 0 if the checkpoint's signature was not verified, because the owner of the database could
 * have written the checkpoint.
 */
function protectedBy({ checkpoint, verifier, from, findings, prunings, classic }: AuditResult): number {
  if (!checkpoint || !verifier || from > 0 || findings.count > 0) return 0
  return checkpoint.size - prunings.unsignedOfKept - classic.unsignedOfKept
}

function verdictOf(result: AuditResult, safe: number): Judged & Pick<AuditReport, 'verdict'> {
  const verdict = wordFor(result)
  const isAsked = verdict === 'consistent' && result.itself
  const outcome = isAsked ? 'holds' : VERDICT_WORDS[verdict]
  const says = [
    SAYS[verdict](result, safe),
    ...readIn(result),
    ...seenIn(result),
    ...untrustedIn(result),
  ].join('; ')
  return { verdict, outcome, says, ...(outcome === 'cannot tell' && { needs: needsOf(verdict, result) }) }
}

function wordFor(result: AuditResult): AuditReport['verdict'] {
  const { findings, untrusted, prunings, classic, itself } = result
  if (findings.count > 0) return 'different'
  const lacksWitnesses = result.witnessed?.outcome === 'cannot tell'
  if (!itself && !isComparable(result)) return lacksWitnesses ? 'unwitnessed' : 'consistent'
  if (untrusted.unknown > 0) return 'unknown signer'
  if (lacksWitnesses) return 'unwitnessed'
  if (itself) return 'consistent'
  if (prunings.unsignedOfKept + classic.unsignedOfKept > 0) return 'unsigned'
  return result.from > 0 ? 'grown' : 'proved'
}

/** Returns true if the log can be compared with a verified checkpoint. One of size 0 covers no entries. */
function isComparable({ checkpoint, verifier, size }: AuditResult): boolean {
  return checkpoint !== undefined && verifier !== undefined && (checkpoint.size > 0 || size === 0)
}

const SAYS: Readonly<Record<AuditReport['verdict'], (result: AuditResult, safe: number) => string>> = {
  proved: ({ verifier }, safe) =>
    `the first ${safe} entries of the log, and what the store has of them, are as they were when ${verifier?.origin} signed the checkpoint`,
  grown: ({ verifier, checkpoint }) =>
    `the log has only grown since ${verifier?.origin} signed its first ${checkpoint?.size} entries, and what came since is as its messages say`,
  unsigned: ({ verifier, checkpoint, from }, safe) =>
    from > 0
      ? 'there are no differences, but no signed checkpoint has a part of what was pruned since: of that the database alone says so'
      : `${safe} of the first ${checkpoint?.size} entries of the log are as they were when ${verifier?.origin} signed the checkpoint; of the others the database alone says so`,
  'unknown signer': ({ untrusted }) =>
    `there are no differences, but nobody here has the public keys to verify ${withNoun(untrusted.unknown, 'message')}`,
  unwitnessed: () =>
    'there are no differences, but no quorum of the witnesses has seen a checkpoint of the store',
  consistent: () => 'the store is consistent with itself; its owner could have made all of it anew',
  different: ({ findings }) =>
    `the store contradicts its messages, its log or the checkpoint: differences: ${findings.count}`,
}

function readIn({ from, size }: AuditResult): string[] {
  if (from === 0 || size < from) return []
  if (size === from) return ['nothing came since, so no rows were read']
  return [
    `only the rows of entries ${from} to ${size - 1} were read, and the earlier ones were not read again`,
  ]
}

function seenIn({ witnessed }: AuditResult): string[] {
  if (!witnessed || witnessed.outcome === 'does not hold') return []
  return [
    witnessed.outcome === 'holds'
      ? `its first ${witnessed.size} entries were ${witnessed.says}`
      : witnessed.says,
  ]
}

function untrustedIn({ untrusted }: AuditResult): string[] {
  const messages = untrusted.messages - untrusted.unknown
  return messages === 0 ? [] : [`messages of signers whom the trust policy refuses today: ${messages}`]
}

function needsOf(
  verdict: AuditReport['verdict'],
  { checkpoint, verifier, untrusted, witnessed }: AuditResult,
): string {
  if (verdict === 'unwitnessed') return witnessed?.needs ?? ''
  const keys = untrusted.unknown > 0 ? ['give the public keys of the unknown signers'] : []
  if (verdict === 'unknown signer') return keys.join()
  if (verdict === 'unsigned')
    return 'sign a checkpoint (alvarium store checkpoint), keep it, and audit with it'
  const isEmpty = checkpoint?.size === 0
  const requirements = [
    ...(checkpoint && !isEmpty
      ? []
      : [isEmpty ? 'a checkpoint of when the log had entries' : 'the checkpoint that you kept']),
    ...(verifier ? [] : [checkpoint ? "the log's public key" : 'its public key']),
  ]
  const options = [...(checkpoint && !isEmpty ? [] : ['--checkpoint']), ...(verifier ? [] : ['--vkey'])]
  return [`give ${requirements.join(' and ')}: ${options.join(', ')}`, ...keys].join('; ')
}
