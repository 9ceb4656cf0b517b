import * as v from 'valibot'
import { type LogCheckpoint, readCheckpoint } from '../../evidence/logs/checkpoint.js'
import { type LogVerifier, logVerifier } from '../../evidence/logs/key.js'
import {
  quorumMembers,
  type ReadQuorum,
  readQuorumIfAny,
  type WitnessQuorum,
} from '../../evidence/witness/options.js'
import { toHex } from '../../foundation/base/bytes/hex.js'
import { AlvariumError, conflicts, isVerdict, needs } from '../../foundation/base/errors.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { ignoreRejection } from '../../foundation/base/time/promises.js'
import { digestOf } from '../../foundation/core/hashing.js'
import type { Row } from '../database/connection.js'
import type { Session } from '../database/database.js'
import { KINDS, kindOf, readSignedPart, verifyControl } from '../ingest/control-messages.js'
import { StoreLeases } from '../ingest/leases.js'
import type { VerifySettings } from '../ingest/verify-all.js'
import { logSize } from '../log/tiles.js'
import { prunedIn } from '../pruning/prunings.js'
import { bytesIn, numberIn, optionalNumberIn } from '../rows/columns.js'
import { readPagesIn } from '../rows/read-pages.js'
import { auditClassic } from './classic.js'
import type { MessageAudit } from './evidence.js'
import { Findings, placeIn } from './findings.js'
import { auditLog, largerOf } from './log.js'
import { auditPrunings } from './prunings.js'
import { type AuditReport, type AuditResult, reportOf } from './report.js'
import { type AuditedPart, auditRows } from './rows.js'
import { auditShape } from './shape.js'
import { lenient, UntrustedSigners } from './signers.js'
import { auditTables } from './tables.js'
import { auditUnreferred } from './unreferred.js'

/** Selects the checkpoint that an audit compares the store with, and how much the audit reads. */
export interface AuditOptions {
  /** Signed note of a checkpoint from outside the database. Without it, the store is only compared with itself. */
  readonly checkpoint?: string | undefined
  /**
   * Public key of the log, in the format of `store.vkey`, from a source other than the database. Default: the
   * key of this store's `log`. Without a key, the audit checks no signature of the log and proves nothing.
   */
  readonly vkey?: string | undefined
  /**
   * Public keys of witnesses, `name+id+key`. The newest stored checkpoint that a quorum has cosigned is then used
   * like the option `checkpoint`, because the database's owner cannot forge cosignatures.
   */
  readonly witnesses?: WitnessQuorum['witnesses'] | undefined
  /** Number of witnesses that a quorum needs. Default: more than half. */
  readonly quorum?: number | undefined
  /**
   * Signed note in the `checkpoint` of an earlier audit, in place of the option `checkpoint`. The audit reads
   * only rows of entries after that checkpoint, and verifies that the log has only grown. It does not find
   * alterations of older rows, so run a whole audit now and then.
   */
  readonly since?: string | undefined
  /** True to check, without a checkpoint, only that the store is consistent with itself. Default `false`. */
  readonly itself?: boolean | undefined
  /** Callback for the progress, about every 1,000 entries. It is not awaited, and its errors are ignored. */
  readonly onProgress?: ((progress: AuditProgress) => unknown) | undefined
}

/**
 * Progress of an audit through the log. After the last entry, the audit still looks for unreferenced, duplicate
 * and missing rows in the tables.
 */
export interface AuditProgress {
  /** Number of entries up to which messages have been verified again. */
  readonly entries: number
  /** Number of entries of the log. */
  readonly size: number
}

/** Valibot schema of {@link AuditOptions}. It is exported for the documentation page of limits. */
export const auditSchema = strict({
  checkpoint: v.optional(v.string('a signed note')),
  vkey: v.optional(v.string("a log's public key")),
  ...quorumMembers,
  since: v.optional(v.string('a signed note')),
  itself: v.optional(v.boolean('true or false'), false),
  onProgress: v.optional(
    v.custom<(progress: AuditProgress) => unknown>((value) => typeof value === 'function', 'a function'),
  ),
})

interface AuditSettings {
  /**
   * Checkpoint kept outside the database, from the option `checkpoint` or `since`. `from` is the first entry to
   * read: with `since` the checkpoint's size, otherwise 0.
   */
  readonly reference: LogCheckpoint | undefined
  readonly from: number
  readonly verifier: LogVerifier | undefined
  readonly reader: ReadQuorum | undefined
  readonly itself: boolean
  readonly onProgress: AuditOptions['onProgress']
}

function readAuditOptions(options: AuditOptions, ownVerifier: LogVerifier | undefined): AuditSettings {
  const { checkpoint, since, vkey, itself, onProgress, ...witnessing } = readOptions(
    auditSchema,
    options,
    'audit',
  )
  const reader = readQuorumIfAny(witnessing, 'audit')
  const witnesses = since === undefined ? undefined : reader
  assertOne({ checkpoint, since, itself: itself || undefined, witnesses })
  const verifier = vkey === undefined ? ownVerifier : logVerifier(vkey)
  if (reader && !verifier) {
    throw needs('audit.vkey', 'the public key of the log that the witnesses have seen')
  }
  const note = checkpoint ?? since
  const reference = note === undefined ? undefined : readCheckpoint(note, verifier)
  const from = since === undefined ? 0 : (reference?.size ?? 0)
  return { reference, from, verifier, reader, itself, onProgress }
}

function assertOne(options: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(options).filter((name) => options[name] !== undefined)
  if (names.length < 2) return
  throw conflicts(`audit.${names.at(-1)}`, names[0] as string)
}

export async function audit(
  session: Session,
  settings: VerifySettings,
  options: AuditOptions,
  ownVerifier: LogVerifier | undefined,
): Promise<AuditReport> {
  const { reference, from, verifier, reader, itself, onProgress } = readAuditOptions(options, ownVerifier)
  const scope = { checkpoint: reference, verifier, itself, from }
  const [findings, untrusted] = [new Findings(), new UntrustedSigners()]
  if (!(await auditShape(session, findings))) return reportOf({ ...NOTHING, ...scope, findings, untrusted })
  const size = await logSize(session)
  const auditedLog = await auditLog(session, findings, { size, reference, verifier, reader, from })
  const { signed, newest, altered, witnessed, seen } = auditedLog
  const checkpoint = largerOf(reference, seen)
  // Without a verifier, no checkpoint counts as signed, so the signed sizes are 0.
  const log = verifier
    ? { givenSize: checkpoint?.size ?? 0, storedSize: signed, altered }
    : { givenSize: 0, storedSize: 0, altered }
  const classic = await auditClassic(session, findings, log, from)
  const tell = (entries: number) => runIgnoringErrors(() => onProgress?.({ entries, size }))
  const part = { from, onEntries: tell }
  const evidence = await auditMessages({ session, findings, untrusted, settings }, part)
  tell(size)
  await auditTables(session, findings, from)
  const { left, ...prunings } = await auditPrunings(session, findings, log, from)
  if (from === 0) await auditUnreferred(session, findings, left)
  const pruned = await prunedIn(session)
  return reportOf({
    ...scope,
    checkpoint,
    witnessed,
    findings,
    untrusted,
    size,
    signed,
    newest,
    evidence,
    pruned,
    prunings,
    classic,
  })
}

/** Result of an audit that reads no entries, because the tables may hide rows. */
const NOTHING: Omit<AuditResult, 'checkpoint' | 'verifier' | 'itself' | 'from' | 'findings' | 'untrusted'> = {
  size: 0,
  signed: 0,
  newest: undefined,
  evidence: 0,
  pruned: 0,
  prunings: { prunings: [], unsigned: 0, unsignedOfKept: 0, earlier: 0 },
  classic: { unsignedOfKept: 0, earlier: 0 },
}

function runIgnoringErrors(tell: () => unknown): void {
  try {
    ignoreRejection(tell())
  } catch {
    // An error in the caller's progress callback must not end the audit.
  }
}

/** Verifies all messages again, including messages that the policy refuses today. @returns their number */
async function auditMessages(audit: MessageAudit, part: AuditedPart): Promise<number> {
  const { session, untrusted, settings: given } = audit
  // The database may have messages of other SDKs even if this store accepts none.
  const settings = { ...given, keyring: lenient(given.keyring, untrusted), classic: true }
  const leases = new StoreLeases()
  try {
    const verifying = { ...settings, leases: await leases.read(session, settings) }
    // Verify leases and checkpoints first. A message received after its lease ended is valid only if a checkpoint
    // shows that its signer's log contains it.
    const controlCount = await auditControlMessages({ ...audit, settings: verifying })
    return controlCount + (await auditRows({ ...audit, settings: verifying }, part))
  } finally {
    leases.close()
  }
}

/** Rows per page. The limit is low because a checkpoint can be 2 MiB long. */
const MESSAGES_PER_PAGE = 16

async function auditControlMessages(audit: MessageAudit): Promise<number> {
  let count = 0
  for await (const rows of readPagesIn(audit.session, SELECT_MESSAGES, MESSAGES_PER_PAGE)) {
    for (const row of rows) await auditOne(row, audit)
    count += rows.length
  }
  return count
}

const SELECT_MESSAGES = `
  select seq::text as seq, kind, signer, key, received, identity, digest, message from alvarium.beside
  where seq > $1::text::bigint order by beside.seq limit $2::integer`

async function auditOne(row: Row, { findings, untrusted, settings }: MessageAudit): Promise<void> {
  const message = bytesIn(row, 'message')
  const kind = kindOf(message)
  const place = (part: string) => placeIn('beside', row['seq'], part)
  findings.compare(place('digest'), digestOf(message), toHex(bytesIn(row, 'digest')))
  findings.compare(place('kind'), kind ?? KINDS.join(' or '), KINDS[numberIn(row, 'kind')])
  if (kind === undefined) return
  try {
    const { identity, ...signed } = await readSignedPart(message, kind)
    findings.compare(place('identity'), toHex(identity), toHex(bytesIn(row, 'identity')))
    findings.compare(place('key'), signed.key, toHex(bytesIn(row, 'key')))
    const evidence = { message, receivedAt: optionalNumberIn(row, 'received') }
    const outcome = await verifyControl(evidence, kind, settings)
    // Use the claimed signer of a message that does not verify, and of a lease if there is no policy to
    // verify it.
    const error = outcome instanceof AlvariumError ? outcome : undefined
    const { signer } = outcome === 'skipped' || outcome instanceof AlvariumError ? signed : outcome
    if (error?.code === 'SIGNER_UNKNOWN') return untrusted.add(error.code, signer)
    findings.compare(place('signer'), signer, toHex(bytesIn(row, 'signer')))
    // A policy refuses a lease for a key that the policy itself lists. The lease's signatures were verified
    // before.
    if (error?.code === 'SIGNER_NOT_ALLOWED') untrusted.add(error.code, signer)
    else if (error) throw error
  } catch (error) {
    if (!isVerdict(error)) throw error
    findings.add({ ...place('message'), expected: 'one that verifies', got: error.message })
  }
}
