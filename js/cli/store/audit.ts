import type { AuditReport } from 'alvarium-sdk/store'
import { textIn } from '../input/text.js'
import { type TrustOptions, trustedBy } from '../keys/trusted.js'
import { EXIT, type Run } from '../session.js'
import { dim, green, red, type Shown, shown, yellow } from '../terminal/shown.js'
import { count, counted } from '../terminal/words.js'
import { type DatabaseOptions, storeAt } from './database.js'

/** What `alvarium store audit` can be asked for. */
interface AuditArguments extends DatabaseOptions, TrustOptions {
  readonly checkpoint?: string
  readonly vkey?: string
  readonly json?: boolean
}

export const run: Run<AuditArguments> = async (_, options, session) => {
  const { vkey, checkpoint: path, json = false } = options
  const checkpoint = path === undefined ? undefined : await textIn('--checkpoint', path)
  const { keyring } = await trustedBy(options, session.input)
  session.begin()
  await using store = await storeAt(options, { keyring, classic: true })
  const report = await store.audit({ checkpoint, vkey })
  if (json) await session.out.json(report)
  else for (const row of rowsOf(report)) await session.out.line(row)
  return EXITS[report.verdict]
}

const EXITS = { proved: EXIT.yes, consistent: EXIT.yes, unsigned: EXIT.unknown, different: EXIT.no } as const

/** More nobody reads. */
const MOST_ROWS = 20

function rowsOf(report: AuditReport): Shown[] {
  const { differences, count: all } = report
  const rows = differences.slice(0, MOST_ROWS).map(({ table, row, what, expected, got }) => {
    return shown`${red('✗')} ${table} ${row}: ${what}: expected ${expected}, got ${got}`
  })
  const more = all - rows.length
  return [
    ...rows,
    ...(more > 0 ? [dim(`  ${count(more)} more: --json shows the first 1,000`)] : []),
    verdictRow(report),
    ...prunedRows(report),
  ]
}

/** What of the prunings is the database's word. */
function prunedRows({ prunedUnsigned, prunedEarlier }: AuditReport): Shown[] {
  const unsigned = shown`  ${yellow('?')} no signed checkpoint has the pruning of ${count(prunedUnsigned)}: the database alone says that they were pruned`
  const earlier = shown`  ${yellow('?')} ${count(prunedEarlier)} were pruned before prunings stood in the log: the database alone said so then`
  return [...(prunedUnsigned > 0 ? [unsigned] : []), ...(prunedEarlier > 0 ? [earlier] : [])]
}

function verdictRow({
  verdict,
  size,
  protected: covered,
  unprotected,
  evidence,
  pruned,
  count: all,
}: AuditReport): Shown {
  const gone = pruned > 0 ? shown`, of which ${count(pruned)} were pruned` : shown``
  const what = shown`${counted(evidence, 'message')} verified again, ${counted(size, 'entry', 'entries')}${gone}`
  if (verdict === 'different') return shown`${red('✗')} ${counted(all, 'difference')}: ${what}`
  if (verdict === 'unsigned') {
    const advice = 'sign a checkpoint, and audit with --vkey'
    return shown`${yellow('?')} ${count(covered)} are as the checkpoint says, and others are gone by prunings that are not signed; ${advice}: ${what}`
  }
  if (verdict === 'proved') {
    const later = unprotected > 0 ? shown`; ${count(unprotected)} came after the checkpoint` : shown``
    return shown`${green('✓')} the first ${count(covered)} are as the checkpoint says${later}: ${what}`
  }
  return shown`${yellow('✓')} consistent with itself; only a checkpoint that was kept elsewhere proves it: ${what}`
}
