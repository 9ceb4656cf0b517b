import type { Judged } from '../../model/outcome.js'
import { VERDICT_WORDS, type VerdictWord } from '../../model/verdict-words.js'
import type { LogCheckpoint } from '../log/checkpoint.js'
import type { LogVerifier } from '../log/key.js'
import type { AuditedClassic } from './classic.js'
import type { Difference, Findings } from './findings.js'
import type { AuditedPrunings, Pruning } from './prunings.js'
import type { Untrusted, UntrustedSigner } from './signers.js'

/** What an audit has found. */
export interface AuditReport extends Judged {
  /**
   * `proved`: everything is as it was when the kept checkpoint was signed by the given public key, or was pruned by prunings that are signed. `unsigned`: the
   * same, but for a part the database alone says it, as no signed checkpoint has its entries of the log. `unknown signer`: the same, but nobody here has
   * the public keys of some messages. `consistent`: the store does not contradict itself, and its owner could have made all of it anew. `different`: see
   * `differences`.
   */
  readonly verdict: Extract<
    VerdictWord,
    'proved' | 'unsigned' | 'unknown signer' | 'consistent' | 'different'
  >
  /** Entries in the log: bundles, annotations of other SDKs, messages of theirs, and prunings. */
  readonly size: number
  /** How many of them the kept checkpoint protects: all up to its size, except those for which the database alone speaks. */
  readonly protected: number
  /** How many it does not: their owner could still have altered or left out some of them. */
  readonly unprotected: number
  /** Up to where the store has signed its log itself. */
  readonly signed: number
  /** How many bundles have no more than their ids, as `prunings` say. */
  readonly pruned: number
  /** How many of them by prunings that no signed checkpoint has yet. Without `vkey`, those in the store count for nothing. */
  readonly prunedUnsigned: number
  /** How many of them before prunings stood in the log: as the database had it when the store was upgraded. */
  readonly prunedEarlier: number
  /** How many annotations of other SDKs, of what the kept checkpoint has, came in messages that no signed checkpoint has. */
  readonly classicUnsigned: number
  /** How many annotations of other SDKs were there before their messages stood in the log: as the database had those when the store was upgraded. */
  readonly classicEarlier: number
  /** What was pruned, and when, and which checkpoint has it: the newest 1,000 of the log. Who pruned is not in it: compare them with what you know. */
  readonly prunings: readonly Pruning[]
  /** Messages that were verified again. */
  readonly evidence: number
  /** Signers whom the reader does not trust today, or does not know. Their messages were compared with the store all the same. */
  readonly untrusted: readonly UntrustedSigner[]
  /** The first 1,000, and of one kind the first 250: what differs in the same way everywhere does not hide the rest. */
  readonly differences: readonly Difference[]
  /** How many there are. */
  readonly count: number
}

/** Everything that a report is made of. */
export interface Audited {
  readonly kept: LogCheckpoint | undefined
  readonly verifier: LogVerifier | undefined
  readonly itself: boolean
  readonly findings: Findings
  readonly untrusted: Untrusted
  readonly size: number
  readonly signed: number
  readonly evidence: number
  readonly pruned: number
  readonly prunings: Omit<AuditedPrunings, 'left'>
  readonly classic: AuditedClassic
}

export function reportOf(audited: Audited): AuditReport {
  const { findings, untrusted, size, signed, evidence, pruned, classic } = audited
  const { prunings, unsigned, earlier } = audited.prunings
  const safe = protectedBy(audited)
  return {
    ...verdictOf(audited, safe),
    ...{ size, protected: safe, unprotected: size - safe, signed },
    ...{ pruned, prunedUnsigned: unsigned, prunedEarlier: earlier },
    ...{ classicUnsigned: classic.unsignedOfKept, classicEarlier: classic.earlier, prunings, evidence },
    ...{ untrusted: untrusted.all, differences: findings.differences, count: findings.count },
  }
}

/** How many entries a checkpoint protects. One whose signature nobody has verified protects nothing: its owner could have written it. */
function protectedBy({ kept, verifier, findings, prunings, classic }: Audited): number {
  if (!kept || !verifier || findings.count > 0) return 0
  return kept.size - prunings.unsignedOfKept - classic.unsignedOfKept
}

function verdictOf(audited: Audited, safe: number): Judged & Pick<AuditReport, 'verdict'> {
  const verdict = wordFor(audited)
  const isAsked = verdict === 'consistent' && audited.itself
  const outcome = isAsked ? 'holds' : VERDICT_WORDS[verdict]
  const says = [SAYS[verdict](audited, safe), ...untrustedIn(audited)].join('; ')
  return { verdict, outcome, says, ...(outcome === 'cannot tell' && { needs: needsOf(verdict, audited) }) }
}

function wordFor(audited: Audited): AuditReport['verdict'] {
  const { findings, untrusted, prunings, classic, itself } = audited
  if (findings.count > 0) return 'different'
  if (!itself && !isKept(audited)) return 'consistent'
  if (untrusted.unknown > 0) return 'unknown signer'
  if (itself) return 'consistent'
  return prunings.unsignedOfKept + classic.unsignedOfKept > 0 ? 'unsigned' : 'proved'
}

/** Whether there is a checkpoint to compare with, signed by the reader's public key. An empty one says nothing about what came after it. */
function isKept({ kept, verifier, size }: Audited): boolean {
  return kept !== undefined && verifier !== undefined && (kept.size > 0 || size === 0)
}

const SAYS: Readonly<Record<AuditReport['verdict'], (audited: Audited, safe: number) => string>> = {
  proved: ({ verifier }, safe) =>
    `the first ${safe} entries of the log, and what the store has of them, are as they were when ${verifier?.origin} signed the checkpoint`,
  unsigned: ({ verifier, kept }, safe) =>
    `${safe} of the first ${kept?.size} entries of the log are as they were when ${verifier?.origin} signed the checkpoint; of the others the database alone says so`,
  'unknown signer': ({ untrusted }) =>
    `there are no differences, but nobody here has the public keys to verify ${untrusted.unknown} messages`,
  consistent: () => 'the store is consistent with itself; its owner could have made all of it anew',
  different: ({ findings }) =>
    `the store contradicts its messages, its log or the checkpoint: differences: ${findings.count}`,
}

/** Signers whom the reader does not trust today: that is no difference. */
function untrustedIn({ untrusted }: Audited): string[] {
  const messages = untrusted.messages - untrusted.unknown
  return messages === 0 ? [] : [`messages of signers whom the trust policy refuses today: ${messages}`]
}

function needsOf(verdict: AuditReport['verdict'], { kept, verifier, untrusted }: Audited): string {
  const keys = untrusted.unknown > 0 ? ['give the public keys of the unknown signers'] : []
  if (verdict === 'unknown signer') return keys.join()
  if (verdict === 'unsigned')
    return 'sign a checkpoint (alvarium store checkpoint), keep it, and audit with it'
  const isEmpty = kept?.size === 0
  const what = [
    ...(kept && !isEmpty
      ? []
      : [isEmpty ? 'a checkpoint of when the log had entries' : 'the checkpoint that you kept']),
    ...(verifier ? [] : [kept ? "the log's public key" : 'its public key']),
  ]
  const options = [...(kept && !isEmpty ? [] : ['--checkpoint']), ...(verifier ? [] : ['--vkey'])]
  return [`give ${what.join(' and ')}: ${options.join(', ')}`, ...keys].join('; ')
}
