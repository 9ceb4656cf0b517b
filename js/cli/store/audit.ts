import type { AuditOptions, AuditProgress, AuditReport, Store, UntrustedSigner } from 'alvarium-sdk/store'
import { textIfAny } from '../input/text.js'
import { type TrustOptions, trustedBy } from '../keys/trusted.js'
import { exitOf, type Run, type Session } from '../session.js'
import { assertFree, writeNew } from '../set/files.js'
import { MARKS } from '../terminal/outcome.js'
import { showProgress } from '../terminal/progress.js'
import { bold, dim, red, type SafeText, safeText, yellow } from '../terminal/safe-text.js'
import { bar, count, countOf } from '../terminal/words.js'
import { witnessesIn } from '../witness/witnesses-file.js'
import { type DatabaseOptions, storeAt } from './database.js'

interface AuditArguments extends DatabaseOptions, TrustOptions {
  readonly checkpoint?: string
  readonly vkey?: string
  readonly witnesses?: string
  readonly since?: string
  readonly checkpointOut?: string
  readonly itself?: boolean
}

export const run: Run<AuditArguments> = async (_, options, session) => {
  const { vkey, itself, checkpointOut } = options
  assertFree('--checkpoint-out', checkpointOut)
  const checkpoint = await textIfAny('--checkpoint', options.checkpoint)
  const since = await textIfAny('--since', options.since)
  const { keyring } = await trustedBy(options, session)
  const { witnesses, quorum } = await witnessesIn(options.witnesses)
  session.begin()
  await using store = await storeAt(options, session, { keyring, classic: true })
  const report = await auditOf(store, { checkpoint, since, vkey, itself, witnesses, quorum }, session)
  if (checkpointOut !== undefined) await writeNext(checkpointOut, report, session)
  await session.out.show(options.json, report, () => auditRows(report))
  return exitOf(report.outcome)
}

/** Writes the checkpoint from which the next audit can start. Only an audit with the outcome `holds` returns one. */
async function writeNext(path: string, { checkpoint }: AuditReport, session: Session): Promise<void> {
  if (checkpoint !== undefined) {
    await writeNew('--checkpoint-out', path, [checkpoint], session)
    return
  }
  const reason = 'a store that holds, and a checkpoint in it that --vkey verifies'
  await session.err.undecided(`no checkpoint was written: that takes ${reason}`)
}

export async function auditOf(store: Store, options: AuditOptions, session: Session): Promise<AuditReport> {
  let [entries, size] = [0, 0]
  const line = () => {
    const share = size === 0 ? 0 : entries / size
    return safeText`${bar(share)}  ${share < 1 ? countOf(entries, 'entry', 'entries') : 'comparing tables'}`
  }
  const onProgress = (now: AuditProgress) => {
    ;({ entries, size } = now)
  }
  return showProgress(session, line, () => store.audit({ ...options, onProgress }))
}

const MAX_ROWS = 20

function auditRows(report: AuditReport): SafeText[] {
  const { differences, count: all, untrusted } = report
  const rows = differences.slice(0, MAX_ROWS).map(({ table, row, what, expected, got }) => {
    return safeText`${red('✗')} ${table} ${row}: ${what}: expected ${expected}, got ${got}`
  })
  const more = all - rows.length
  return [
    ...rows,
    ...(more > 0 ? [dim(`  ${count(more)} more: --json shows the first 1,000`)] : []),
    ...verdictRows(report),
    ...databaseRows(report),
    ...untrusted.slice(0, MAX_ROWS).map(untrustedRow),
    ...(untrusted.length > MAX_ROWS ? [dim('  and more: --json shows all')] : []),
  ]
}

function verdictRows({
  outcome,
  verdict,
  says,
  needs,
  evidence,
  size,
  pruned,
  unprotected,
}: AuditReport): SafeText[] {
  const prunedText = pruned > 0 ? safeText`, of which ${count(pruned)} were pruned` : safeText``
  const later =
    verdict === 'proved' && unprotected > 0 ? safeText`; ${count(unprotected)} came after it` : safeText``
  const counts = safeText`${countOf(evidence, 'message')} verified again, ${countOf(size, 'entry', 'entries')}${prunedText}`
  return [
    safeText`${MARKS[outcome]} ${bold(verdict)}: ${says}${later} (${counts})`,
    ...(needs === undefined ? [] : [safeText`  ${needs}`]),
  ]
}

/** Returns rows for counts that no signed checkpoint confirms. */
function databaseRows(report: AuditReport): SafeText[] {
  const { prunedUnsigned, prunedEarlier, classicUnsigned, classicEarlier } = report
  const rows = [
    [prunedUnsigned, 'pruned by prunings that no signed checkpoint has: the database alone says so'],
    [prunedEarlier, 'pruned before prunings stood in the log: the database alone said so then'],
    [
      classicUnsigned,
      'annotations of other SDKs in messages that no signed checkpoint has: their actions and order are not protected',
    ],
    [
      classicEarlier,
      'annotations of other SDKs from before their messages stood in the log: actions and order are as the database had them then',
    ],
  ] as const
  return rows.flatMap(([number, text]) =>
    number > 0 ? [safeText`  ${yellow('?')} ${count(number)} ${text}`] : [],
  )
}

const STANDINGS: Readonly<Record<UntrustedSigner['code'], string>> = {
  SIGNER_REVOKED: 'revoked by your trust policy',
  SIGNER_EXPIRED: 'from outside of the time that your trust policy gives',
  SIGNER_NOT_ALLOWED: 'not what your trust policy allows',
  SIGNER_UNKNOWN: 'not verified, as nobody here has the public key',
}

function untrustedRow({ signer, name, code, messages }: UntrustedSigner): SafeText {
  const signerText = name === undefined ? safeText`${signer}` : safeText`${bold(name)} ${dim(signer)}`
  return safeText`  ${yellow('?')} ${signerText}: ${countOf(messages, 'message')} ${STANDINGS[code]}`
}
