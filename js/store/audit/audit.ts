import * as v from 'valibot'
import { readOptions, strict } from '../../base/options/schema.js'
import type { Session } from '../database.js'
import { readCheckpoint } from '../log/checkpoint.js'
import { type LogVerifier, logVerifier } from '../log/key.js'
import { logSize } from '../log/tiles.js'
import { newestPrunings, type Pruning, prunedIn } from '../pruning/record.js'
import type { Reading } from '../verifying.js'
import { auditBeside } from './beside.js'
import { type Difference, Findings } from './findings.js'
import { auditLog } from './log.js'
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
   * `proved`: everything is as it was when the kept checkpoint was signed. `consistent`: no checkpoint was given, and the store does not contradict
   * itself; its owner could have made all of it anew. `different`: see `differences`.
   */
  readonly verdict: 'proved' | 'consistent' | 'different'
  /** Entries in the log. */
  readonly size: number
  /** How many of them, from the first one on, the kept checkpoint protects. */
  readonly protected: number
  /** How many came after it: their owner could still have altered or left out some of them. */
  readonly unprotected: number
  /** Up to where the store has signed its log itself. */
  readonly signed: number
  /** How many entries have no more than their ids, as `prunings` say. */
  readonly pruned: number
  /** What was pruned, and when: the newest 1,000. The store's word alone. */
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
  const signed = await auditLog(session, findings, { size, kept, verifier })
  const rows = await auditRows(session, findings, reading)
  const evidence = rows + (await auditBeside(session, findings, reading))
  await auditTables(session, findings)
  const { differences, count } = findings
  const [pruned, prunings] = [await prunedIn(session), await newestPrunings(session)]
  const covered = count === 0 && kept ? kept.size : 0
  return {
    verdict: count > 0 ? 'different' : kept ? 'proved' : 'consistent',
    ...{ size, protected: covered, unprotected: size - covered, signed, pruned, prunings, evidence },
    ...{ differences, count },
  }
}
