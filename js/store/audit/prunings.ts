import { toHex } from '../../foundation/base/bytes/hex.js'
import { callTurns } from '../../foundation/base/time/turns.js'
import type { Row } from '../database/connection.js'
import { oneRow, type Session } from '../database/database.js'
import { countIn, type Range, rangeColumns } from '../pruning/ranges.js'
import { LEFT_TABLES, type LeftRows, type PruningRecord, pruningId, readRecord } from '../pruning/record.js'
import { bytesIn, numberIn, optionalNumberIn } from '../rows/columns.js'
import { readPagesIn } from '../rows/read-pages.js'
import { type Findings, placeIn } from './findings.js'
import { IdSet } from './id-set.js'
import type { SignedLog } from './log.js'

/** A pruning in the log: the removal of bundles in one transaction. */
export interface Pruning {
  /** Position of the pruning in the log. */
  readonly entry: number
  /** Id of the pruning's entry in the log, for `store.prove`: 64 lower-case hexadecimal digits. */
  readonly id: string
  /**
   * Signed checkpoint that covers the pruning. `kept` is a checkpoint that was kept elsewhere or seen by a
   * quorum of witnesses, and `stored` a different one in the store. With `none`, the database is the only
   * evidence for the pruning. Without the log's public key, no checkpoint counts as signed.
   */
  readonly checkpoint: 'kept' | 'stored' | 'none'
  /** True if the bundles were pruned before the log had entries for prunings. An upgrade added this entry later. */
  readonly isEarlier: boolean
  /** Time at which the call began, in milliseconds since 1970, by the clock of the computer that pruned. */
  readonly at: number
  /** Time before which the bundles were received, in milliseconds since 1970. Missing for forgotten payloads. */
  readonly before?: number
  /** Number of removed bundles. Annotations of other SDKs count one by one. */
  readonly bundles: number
  /** Number of removed messages. */
  readonly messages: number
}

export interface AuditedPrunings extends Readonly<Sums> {
  /** The newest prunings, the last one first. */
  readonly prunings: readonly Pruning[]
  /** Ids of rows that may be unreferenced, because prunings in the log removed the bundles that referred to them. */
  readonly left: Readonly<Record<keyof LeftRows, IdSet>>
}

interface Sums {
  /** Number of bundles removed by prunings that no signed checkpoint covers. */
  unsigned: number
  /** Number of `unsigned` bundles that are entries below the size of the kept checkpoint. */
  unsignedOfKept: number
  /** Number of bundles removed before the log had entries for prunings. */
  earlier: number
}

const MAX_LISTED = 1_000
/**
 * Pruning records per page. A record takes some kilobytes, or about a megabyte if it has very many ranges.
 */
const RECORDS_PER_PAGE = 16

export async function auditPrunings(
  session: Session,
  findings: Findings,
  log: SignedLog,
  from: number,
): Promise<AuditedPrunings> {
  const firsts = new IdSet()
  const left = { word: new IdSet(), list: new IdSet(), datum: new IdSet() }
  const counts = await countsOf(session)
  const sums: Sums = { unsigned: 0, unsignedOfKept: 0, earlier: 0 }
  const prunings: Pruning[] = []
  for await (const rows of readPagesIn(session, SELECT_RECORDS, RECORDS_PER_PAGE, 'seq', from)) {
    await callTurns.yieldIfDueLong()
    for (const row of rows) {
      const record = compareRecord(findings, row)
      if (!record) continue
      const { ranges } = record
      const pruning = pruningOf(row, record, log)
      const isFalse = pruning.id !== row['id'] || log.altered.has(pruning.entry)
      if (isFalse) await reportFalse(session, findings, pruning.entry, ranges)
      await compareRanges(session, findings, pruning.entry, ranges)
      for (const [first] of ranges) firsts.add(first)
      if (!isFalse) markLeft(left, record, counts)
      addTo(sums, pruning, cutAt(ranges, log.givenSize))
      prunings.push(pruning)
      if (prunings.length > MAX_LISTED) prunings.shift()
    }
  }
  await findSurplus(session, findings, firsts, from)
  return { prunings: prunings.reverse(), ...sums, left }
}

/** @param ofKept - the pruning's ranges below the size of the kept checkpoint */
function addTo(sums: Sums, { isEarlier, checkpoint, bundles }: Pruning, ofKept: readonly Range[]): void {
  if (isEarlier) sums.earlier += bundles
  if (checkpoint !== 'none') return
  sums.unsigned += bundles
  sums.unsignedOfKept += countIn(ofKept)
}

const SELECT_RECORDS = `
  select seq::text as seq, at, before, bundles, messages, record, encode(leaf.id, 'hex') as id
  from alvarium.pruning left join alvarium.leaf using (seq)
  where seq > $1::text::bigint order by pruning.seq limit $2::integer`

function compareRecord(findings: Findings, row: Row): PruningRecord | undefined {
  const place = (part: string) => placeIn('pruning', row['seq'], part)
  const bytes = bytesIn(row, 'record')
  findings.compare(place('record, by its id in the log'), row['id'], toHex(pruningId(bytes)))
  const record = readRecord(bytes)
  if (!record) {
    findings.differ(place('record'), 'one of a pruning', toHex(bytes))
    return undefined
  }
  findings.compare(place('when'), record.at, numberIn(row, 'at'))
  findings.compare(place('before'), record.before, optionalNumberIn(row, 'before'))
  findings.compare(place('bundles'), countIn(record.ranges), numberIn(row, 'bundles'))
  findings.compare(place('messages'), record.messages, numberIn(row, 'messages'))
  const last = record.ranges.at(-1)?.[1] ?? -1
  if (last >= numberIn(row, 'seq')) findings.differ(place('ranges'), 'entries that came before it', `${last}`)
  return record
}

/** Counts rows. Larger ids in a pruning's record are ignored, because a forged record could list any. */
async function countsOf(session: Session): Promise<Record<keyof LeftRows, number>> {
  const counts = LEFT_TABLES.map((table) => `(select count(*) from alvarium.${table}) as ${table}`)
  const row = await oneRow(session, `select ${counts.join(', ')}`)
  return { word: numberIn(row, 'word'), list: numberIn(row, 'list'), datum: numberIn(row, 'datum') }
}

function markLeft(
  sets: AuditedPrunings['left'],
  { left }: PruningRecord,
  counts: Readonly<Record<keyof LeftRows, number>>,
): void {
  for (const table of LEFT_TABLES) {
    for (const [first, last] of left?.[table] ?? []) {
      for (let id = first; id <= Math.min(last, counts[table] - 1); id++) sets[table].add(id)
    }
  }
}

function pruningOf(row: Row, record: PruningRecord, { givenSize, storedSize }: SignedLog): Pruning {
  const { isEarlier, at, before, messages, ranges } = record
  const entry = numberIn(row, 'seq')
  return {
    entry,
    id: toHex(pruningId(bytesIn(row, 'record'))),
    checkpoint: entry < givenSize ? 'kept' : entry < storedSize ? 'stored' : 'none',
    isEarlier,
    at,
    ...(before !== undefined && { before }),
    bundles: countIn(ranges),
    messages,
  }
}

export function cutAt(ranges: readonly Range[], end: number): Range[] {
  return ranges.flatMap(([first, last]): Range[] => (first < end ? [[first, Math.min(last, end - 1)]] : []))
}

async function reportFalse(session: Session, findings: Findings, entry: number, ranges: readonly Range[]) {
  for (const [first] of ranges) {
    findings.differ(placeIn('pruned', first, 'pruning'), 'one that is in the log', `pruning ${entry}`)
  }
  await reportMissing(session, findings, ranges)
}

async function reportMissing(
  session: Session,
  findings: Findings,
  ranges: readonly (readonly [unknown, unknown])[],
): Promise<void> {
  if (ranges.length === 0) return
  for (const { seq } of await session.query(SELECT_MISSING, rangeColumns(ranges))) {
    findings.differ(placeIn('bundle', seq, 'row'), 'a row, or a pruning in the log', 'nothing')
  }
}

/** Selects log entries that have neither a bundle, nor a pruning whose record matches the entry's id. */
const SELECT_MISSING = `
  select seq::text as seq from unnest($1::text::bigint[], $2::text::bigint[]) as given (first, last)
  cross join lateral (
    select seq from alvarium.leaf where leaf.seq >= first and leaf.seq <= last
      and not exists (select from alvarium.bundle where bundle.seq = leaf.seq)
      and not exists (
        select from alvarium.pruning where pruning.seq = leaf.seq and sha256('\\x00'::bytea || record) = leaf.id
      ) offset 0
  ) as entry limit 1000`

async function compareRanges(
  session: Session,
  findings: Findings,
  entry: number,
  ranges: readonly Range[],
): Promise<void> {
  const differing = await session.query(DIFFERING, [...rangeColumns(ranges), entry])
  for (const row of differing) {
    const place = (part: string) => placeIn('pruned', row['first'], part)
    if (row['pruning'] === null) findings.differ(place('row'), 'a range that was pruned', 'nothing')
    else {
      findings.compare(place('last'), String(row['last']), row['got'])
      findings.compare(place('pruning'), String(entry), row['pruning'])
    }
  }
  const widened = differing.filter((row) => row['is_widened'])
  const added = widened.map((row) => [row['next'], row['got']] as const)
  await reportMissing(session, findings, added)
}

const DIFFERING = `
  select given.first, given.last, pruned.last::text as got, pruned.pruning::text as pruning,
    pruned.last > given.last as is_widened, (given.last + 1)::text as next
  from unnest($1::text::bigint[], $2::text::bigint[]) as given (first, last)
  left join lateral (
    select last, pruning from alvarium.pruned where pruned.first = given.first offset 0
  ) as pruned on true
  where pruned.last is distinct from given.last or pruned.pruning is distinct from $3::bigint
  order by given.first`

const RANGES_TOGETHER = 65_536

async function findSurplus(session: Session, findings: Findings, firsts: IdSet, from: number): Promise<void> {
  const statement = `
    select first::text as first, last::text as last from alvarium.pruned
    where first > $1::text::bigint and (${from} = 0 or pruning >= ${from}) order by pruned.first limit $2::integer`
  for await (const rows of readPagesIn(session, statement, RANGES_TOGETHER, 'first')) {
    const surplus = rows.filter((row) => !firsts.has(numberIn(row, 'first')))
    for (const { first } of surplus) {
      findings.differ(placeIn('pruned', first, 'row'), 'nothing', 'a range that no pruning in the log has')
    }
    const ranges = surplus.map((row) => [row['first'], row['last']] as const)
    await reportMissing(session, findings, ranges)
  }
}
