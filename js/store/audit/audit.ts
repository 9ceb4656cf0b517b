import * as v from 'valibot'
import { readOptions, strict } from '../../base/options/schema.js'
import type { Session } from '../database.js'
import { StoreLeases } from '../leases.js'
import { readCheckpoint } from '../log/checkpoint.js'
import { type LogVerifier, logVerifier } from '../log/key.js'
import { logSize } from '../log/tiles.js'
import { prunedIn } from '../pruning/prunings.js'
import type { Reading } from '../verifying.js'
import { auditBeside } from './beside.js'
import { type Difference, Findings } from './findings.js'
import { auditLog } from './log.js'
import { auditPrunings, type Pruning } from './prunings.js'
import { auditRows } from './rows.js'
import { auditTables } from './tables.js'

/** What an audit compares a store with. */
export interface AuditOptions {
  /** A checkpoint of the store that was kept elsewhere: the signed note. Without one, the store can only be consistent with itself. */
  readonly checkpoint?: string | undefined
  /** The public key of the log, as `store.vkey` has it. Default: that of this store's own `log`; without one, no signature of the log is checked. */
  readonly vkey?: string | undefined
}

/** The page of limits shows it. */
export const auditSchema = strict({
  checkpoint: v.optional(v.string('a signed note')),
  vkey: v.optional(v.string("a log's public key")),
})

/** What an audit has found. */
export interface AuditReport {
  /**
   * `proved`: everything is as it was when the kept checkpoint was signed, or was pruned by prunings that are signed. `unsigned`: the same, but some of
   * it is gone by prunings that no signed checkpoint has yet, which the database alone says. `consistent`: no checkpoint was given, and the store does
   * not contradict itself; its owner could have made all of it anew. `different`: see `differences`.
   */
  readonly verdict: 'proved' | 'unsigned' | 'consistent' | 'different'
  /** Entries in the log: bundles, annotations of other SDKs, and prunings. */
  readonly size: number
  /** How many of them the kept checkpoint protects: all up to its size, except those that are gone by prunings that nobody has signed. */
  readonly protected: number
  /** How many it does not: their owner could still have altered or left out some of them. */
  readonly unprotected: number
  /** Up to where the store has signed its log itself. */
  readonly signed: number
  /** How many entries have no more than their ids, as `prunings` say. */
  readonly pruned: number
  /** How many of them by prunings that no signed checkpoint has yet. Without `vkey`, those in the store count for nothing. */
  readonly prunedUnsigned: number
  /** How many of them before prunings stood in the log: as the database had it when the store was upgraded. */
  readonly prunedEarlier: number
  /** What was pruned, and when, and which checkpoint has it: the newest 1,000 of the log. Who pruned is not in it: compare them with what you know. */
  readonly prunings: readonly Pruning[]
  /** Messages that were verified again. */
  readonly evidence: number
  /** The first 1,000. */
  readonly differences: readonly Difference[]
  /** How many there are. */
  readonly count: number
}

/** Reads everything back, and verifies it again. */
export async function audit(
  session: Session,
  reading: Reading,
  options: AuditOptions,
  own: LogVerifier | undefined,
): Promise<AuditReport> {
  const { checkpoint, vkey } = readOptions(auditSchema, options, 'audit')
  const verifier = vkey === undefined ? own : logVerifier(vkey)
  const kept = checkpoint === undefined ? undefined : readCheckpoint(checkpoint, verifier)
  const findings = new Findings()
  const size = await logSize(session)
  const { signed, altered } = await auditLog(session, findings, { size, kept, verifier })
  const evidence = await auditMessages(session, findings, reading)
  await auditTables(session, findings)
  const log = { kept: kept?.size ?? 0, stored: verifier ? signed : 0, altered }
  const { prunings, unsigned, unsignedOfKept, earlier } = await auditPrunings(session, findings, log)
  const { differences, count } = findings
  const pruned = await prunedIn(session)
  const safe = count === 0 && kept ? kept.size - unsignedOfKept : 0
  return {
    verdict: verdictOf(count, kept !== undefined, unsignedOfKept),
    ...{ size, protected: safe, unprotected: size - safe, signed },
    ...{ pruned, prunedUnsigned: unsigned, prunedEarlier: earlier, prunings, evidence },
    ...{ differences, count },
  }
}

function verdictOf(differences: number, isKept: boolean, unsigned: number): AuditReport['verdict'] {
  if (differences > 0) return 'different'
  if (!isKept) return 'consistent'
  return unsigned > 0 ? 'unsigned' : 'proved'
}

/** Verifies all messages, by the leases that are among them. @returns how many */
async function auditMessages(session: Session, findings: Findings, reading: Reading): Promise<number> {
  const leases = new StoreLeases()
  try {
    const verifying = { ...reading, leases: await leases.read(session, reading) }
    // What came too late lies in the logs of checkpoints, if it is good: those come first.
    const beside = await auditBeside(session, findings, verifying)
    return beside + (await auditRows(session, findings, verifying))
  } finally {
    leases.close()
  }
}
