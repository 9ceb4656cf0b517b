import * as v from 'valibot'
import { expected } from '../../base/errors.js'
import { readOptions, strict } from '../../base/options/schema.js'
import { ignoreRejection } from '../../base/time/promises.js'
import { type LogCheckpoint, readCheckpoint } from '../../logs/checkpoint.js'
import { type LogVerifier, logVerifier } from '../../logs/key.js'
import { quorumMembers, readQuorumIfAny, type WitnessQuorum } from '../../witness/options.js'
import type { Session } from '../database.js'
import { StoreLeases } from '../leases.js'
import { logSize } from '../log/tiles.js'
import { prunedIn } from '../pruning/prunings.js'
import type { Reading } from '../verifying.js'
import { auditBeside } from './beside.js'
import { auditClassic } from './classic.js'
import { Findings } from './findings.js'
import { auditLeft } from './left.js'
import { auditLog } from './log.js'
import { auditPrunings } from './prunings.js'
import { type AuditReport, type AuditResult, reportOf } from './report.js'
import { auditRows } from './rows.js'
import { auditShape } from './shape.js'
import { lenient, UntrustedSigners } from './signers.js'
import { auditTables } from './tables.js'

/** Options of an audit: the checkpoint to compare a store with. */
export interface AuditOptions {
  /** A checkpoint of the store that was kept elsewhere: the signed note. Without one, the store can only be consistent with itself. */
  readonly checkpoint?: string | undefined
  /**
   * The public key of the log, as `store.vkey` has it, from somewhere else than the database. Default: that of this store's own `log`. Without one, no
   * signature of the log is checked, and nothing is proved.
   */
  readonly vkey?: string | undefined
  /**
   * Public keys of witnesses, `name+id+key`. The store's newest checkpoint that a quorum of them has seen then counts as one that was kept elsewhere: nobody can have
   * made it anew.
   */
  readonly witnesses?: WitnessQuorum['witnesses'] | undefined
  /** Number of witnesses that it takes. Default: more than half. */
  readonly quorum?: number | undefined
  /** True to ask only whether the store is consistent with itself, which needs no checkpoint. Default `false`. */
  readonly itself?: boolean | undefined
  /** Hears how far the audit is, after each thousand entries. Nobody waits for it, and what it throws is ignored. */
  readonly onProgress?: ((progress: AuditProgress) => unknown) | undefined
}

/** Position of an audit in the log. The tables are compared behind the last entry. */
export interface AuditProgress {
  /** Entries whose messages were verified again. */
  readonly entries: number
  /** Entries of the log. */
  readonly size: number
}

/** The page of limits shows it. */
export const auditSchema = strict({
  checkpoint: v.optional(v.string('a signed note')),
  vkey: v.optional(v.string("a log's public key")),
  ...quorumMembers,
  itself: v.optional(v.boolean('true or false'), false),
  onProgress: v.optional(
    v.custom<(progress: AuditProgress) => unknown>((value) => typeof value === 'function', 'a function'),
  ),
})

/** Reads everything back, and verifies it again. */
export async function audit(
  session: Session,
  reading: Reading,
  options: AuditOptions,
  own: LogVerifier | undefined,
): Promise<AuditReport> {
  const {
    checkpoint: note,
    vkey,
    itself,
    onProgress,
    witnesses,
    quorum,
  } = readOptions(auditSchema, options, 'audit')
  if (itself && note !== undefined) {
    throw expected('CONFIG_INVALID', 'audit.itself', 'either itself or checkpoint', 'both')
  }
  const verifier = vkey === undefined ? own : logVerifier(vkey)
  const kept = note === undefined ? undefined : readCheckpoint(note, verifier)
  const reader = readQuorumIfAny({ witnesses, quorum }, 'audit')
  if (reader && !verifier)
    throw expected(
      'CONFIG_INVALID',
      'audit.vkey',
      'the public key of the log, whose checkpoints witnesses have seen',
      undefined,
    )
  const asked = { checkpoint: kept, verifier, itself }
  const [findings, untrusted] = [new Findings(), new UntrustedSigners()]
  if (!(await auditShape(session, findings))) return reportOf({ ...NOTHING, ...asked, findings, untrusted })
  const size = await logSize(session)
  const { signed, altered, witnessed, seen } = await auditLog(session, findings, {
    size,
    reference: kept,
    verifier,
    reader,
  })
  const checkpoint = largerOf(kept, seen)
  // A checkpoint that nobody has verified signs nothing.
  const log = verifier
    ? { kept: checkpoint?.size ?? 0, stored: signed, altered }
    : { kept: 0, stored: 0, altered }
  const classic = await auditClassic(session, findings, log)
  const tell = (entries: number) => runIgnoringErrors(() => onProgress?.({ entries, size }))
  const evidence = await auditMessages(session, findings, untrusted, reading, tell)
  tell(size)
  await auditTables(session, findings)
  const { left, ...prunings } = await auditPrunings(session, findings, log)
  await auditLeft(session, findings, left)
  const pruned = await prunedIn(session)
  return reportOf({
    ...asked,
    checkpoint,
    witnessed,
    findings,
    untrusted,
    size,
    signed,
    evidence,
    pruned,
    prunings,
    classic,
  })
}

/** Returns the checkpoint that protects more of the log. */
function largerOf(
  kept: LogCheckpoint | undefined,
  seen: LogCheckpoint | undefined,
): LogCheckpoint | undefined {
  return (kept?.size ?? -1) >= (seen?.size ?? -1) ? kept : seen
}

/** The result of an audit that could read nothing. */
const NOTHING: Omit<AuditResult, 'checkpoint' | 'verifier' | 'itself' | 'findings' | 'untrusted'> = {
  ...{ size: 0, signed: 0, evidence: 0, pruned: 0 },
  prunings: { prunings: [], unsigned: 0, unsignedOfKept: 0, earlier: 0 },
  classic: { unsignedOfKept: 0, earlier: 0 },
}

function runIgnoringErrors(tell: () => unknown): void {
  try {
    ignoreRejection(tell())
  } catch {
    // A progress bar must not end an audit.
  }
}

/** Verifies all messages, by the leases that are among them, and whatever the trust policy says of their signers today. @returns how many */
async function auditMessages(
  session: Session,
  findings: Findings,
  untrusted: UntrustedSigners,
  given: Reading,
  onEntries: (entries: number) => void,
): Promise<number> {
  // The database may have messages of other SDKs even if this store would accept none.
  const reading = { ...given, keyring: lenient(given.keyring, untrusted), classic: true }
  const leases = new StoreLeases()
  try {
    const audit = { session, findings, untrusted }
    const verifying = { ...reading, leases: await leases.read(session, reading) }
    // What came too late lies in the logs of checkpoints, if it is good: those come first.
    const beside = await auditBeside({ ...audit, reading: verifying })
    return beside + (await auditRows({ ...audit, reading: verifying }, onEntries))
  } finally {
    leases.close()
  }
}
