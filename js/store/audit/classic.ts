import { toHex } from '../../foundation/base/bytes/hex.js'
import { join } from '../../foundation/base/bytes/join.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import type { Row } from '../database/connection.js'
import { oneRow, type Session } from '../database/database.js'
import { type ClassicRecord, classicId, readClassicRecord } from '../log/classic.js'
import { type Range, rangeColumns } from '../pruning/ranges.js'
import { bytesIn, numberIn, numbers } from '../rows/columns.js'
import { readPagesIn } from '../rows/read-pages.js'
import { type Findings, placeIn } from './findings.js'
import { IdSet } from './id-set.js'
import type { SignedLog } from './log.js'
import { cutAt } from './prunings.js'

/** Numbers of annotations of other SDKs for which no signed checkpoint proves the message. */
export interface AuditedClassic {
  /** Number of annotations that the caller's checkpoint covers, although no signed checkpoint covers their messages. */
  unsignedOfKept: number
  /** Number of annotations stored before the log had entries for messages of other SDKs. */
  earlier: number
}

/** Records per page. Most records are about 100 bytes long. */
const RECORD_PAGE = 1024

interface ReadRecord extends ClassicRecord {
  /** Position of the record in the log. */
  readonly entry: number
}

/** Compares messages of other SDKs with their log entries. Each annotation must have its original message. */
export async function auditClassic(
  session: Session,
  findings: Findings,
  log: SignedLog,
  from: number,
): Promise<AuditedClassic> {
  const recorded = new IdSet()
  const sums = { unsignedOfKept: 0, earlier: 0 }
  for await (const rows of readPagesIn(session, SELECT_RECORDS, RECORD_PAGE, 'seq', from)) {
    await callTurns.yieldIfDueLong()
    // Skip duplicate rows, which another check reports.
    const once = rows.filter((row, at) => row['seq'] !== rows[at - 1]?.['seq'])
    const records = once.flatMap((row) => compareRecord(findings, row, log) ?? [])
    for (const { entry, ranges } of records) markRecorded(findings, recorded, entry, ranges)
    await compareMessages(session, findings, records)
    const earlier = records.filter(({ isEarlier }) => isEarlier).flatMap(({ ranges }) => ranges)
    sums.earlier += await countThere(session, earlier)
    const unsigned = records.filter(({ entry }) => entry >= Math.max(log.givenSize, log.storedSize))
    const kept = unsigned.flatMap(({ ranges }) => cutAt(ranges, log.givenSize))
    sums.unsignedOfKept += await countThere(session, kept)
  }
  await findUnrecorded(session, findings, recorded, from)
  return sums
}

const SELECT_RECORDS = `
  select classic.seq::text as seq, record, encode(leaf.id, 'hex') as id
  from alvarium.classic left join alvarium.leaf using (seq)
  where seq > $1::text::bigint order by classic.seq limit $2::integer`

function compareRecord(findings: Findings, row: Row, { altered }: SignedLog): ReadRecord | undefined {
  const place = (part: string) => placeIn('classic', row['seq'], part)
  const bytes = bytesIn(row, 'record')
  const [id, entry] = [toHex(classicId(bytes)), numberIn(row, 'seq')]
  findings.compare(place('record, by its id in the log'), row['id'], id)
  const record = readClassicRecord(bytes)
  if (!record) {
    findings.differ(place('record'), 'one of a message of another SDK', toHex(bytes))
    return undefined
  }
  const last = record.ranges.at(-1)?.[1] ?? 0
  if (last >= entry) {
    findings.differ(place('entries'), 'entries of the log that came before it', `${last}`)
    return undefined
  }
  return id === row['id'] && !altered.has(entry) ? { ...record, entry } : undefined
}

/** Marks the annotations of a message as seen. Reports an annotation that another message's record also lists. */
function markRecorded(findings: Findings, recorded: IdSet, entry: number, ranges: readonly Range[]): void {
  for (const [first, last] of ranges) {
    for (let seq = first; seq <= last; seq++) {
      const place = placeIn('classic', entry, 'entries')
      if (recorded.has(seq)) findings.differ(place, 'entries that no other message has', `${seq}`)
      recorded.add(seq)
    }
  }
}

async function compareMessages(
  session: Session,
  findings: Findings,
  records: readonly ReadRecord[],
): Promise<void> {
  if (records.length === 0) return
  const ranges = records.flatMap((record, at) =>
    record.ranges.map(([first, last]) => [first, last, at] as const),
  )
  const columns = [0, 1, 2].map((column) => numbers(ranges.map((range) => range[column])))
  const digests = join(records.map(({ digest }) => digest)).bytes
  for (const row of await session.query(DIFFERING, [...columns, digests])) {
    findings.differ(placeIn('bundle', row['seq'], 'message'), row['expected'], row['got'])
  }
}

const DIFFERING = `
  select bundle.seq::text as seq, encode(substring($4::bytea from 32 * place + 1 for 32), 'hex') as expected,
    case when action is null then encode(evidence.digest, 'hex') else 'a bundle' end as got
  from unnest($1::text::bigint[], $2::text::bigint[], $3::text::integer[]) as given (first, last, place)
  cross join lateral (
    select seq, evidence, action from alvarium.bundle where seq >= first and seq <= last offset 0
  ) as bundle left join alvarium.evidence on evidence.seq = bundle.evidence
  where action is not null or evidence.digest is distinct from substring($4::bytea from 32 * place + 1 for 32)
  order by bundle.seq limit 1000`

/** Counts the entries in the ranges that still have their row in `bundle`. All others were pruned. */
async function countThere(session: Session, ranges: readonly Range[]): Promise<number> {
  return ranges.length === 0 ? 0 : numberIn(await oneRow(session, COUNT, rangeColumns(ranges)), 'count')
}

const COUNT = `
  select count(*) as count from unnest($1::text::bigint[], $2::text::bigint[]) as given (first, last)
  cross join lateral (select from alvarium.bundle where seq >= first and seq <= last offset 0) as bundle`

/** Reports annotations that no record lists, and entries without a row, one of which may be the lost record. */
async function findUnrecorded(
  session: Session,
  findings: Findings,
  recorded: IdSet,
  from: number,
): Promise<void> {
  let isLost = false
  for await (const rows of readPagesIn(session, ANNOTATIONS, ANNOTATIONS_TOGETHER, 'seq', from)) {
    await callTurns.yieldIfDueLong()
    for (const row of rows.filter((one) => !recorded.has(numberIn(one, 'seq')))) {
      isLost = true
      findings.differ(placeIn('bundle', row['seq'], 'message'), 'one that is in the log', 'nothing')
    }
  }
  for (const { seq } of isLost ? await session.query(WITHOUT_ROW, [from]) : []) {
    findings.differ(placeIn('classic', seq, 'row'), 'a row', 'nothing')
  }
}

const ANNOTATIONS_TOGETHER = 65_536

const ANNOTATIONS = `
  select seq::text as seq from alvarium.bundle
  where action is null and seq > $1::text::bigint order by bundle.seq limit $2::integer`

const WITHOUT_ROW = `
  select seq::text as seq from alvarium.leaf
  where seq >= $1::bigint and not exists (select from alvarium.bundle where bundle.seq = leaf.seq)
    and not exists (select from alvarium.pruning where pruning.seq = leaf.seq)
    and not exists (select from alvarium.classic where classic.seq = leaf.seq)
    and coalesce((select last from alvarium.pruned where first <= leaf.seq order by first desc limit 1), -1) < leaf.seq
  order by leaf.seq limit 1000`
