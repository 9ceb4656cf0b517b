import { oneRow, type Session } from '../database/database.js'
import { BLOCK } from '../ingest/arrivals.js'
import { numberIn } from '../rows/columns.js'
import { type Difference, type Findings, placeIn } from './findings.js'

/** Finds rows without references, duplicate rows, and gaps in ids. With `from`, only in rows of later entries. */
export async function auditTables(session: Session, findings: Findings, from: number): Promise<void> {
  const checks =
    from > 0 ? checksFrom(from).filter(({ isOfWhole }) => !isOfWhole) : [...checksFrom(0), ...ONCE.map(twice)]
  for (const { table, what, expected, got, statement } of checks) {
    for (const row of await session.query(`${statement} limit 1000`)) {
      findings.add({ table, row: String(row['row']), what, expected, got })
    }
  }
  if (from > 0) return
  for (const one of COUNTED_COLUMNS) await auditNumbers(session, findings, one)
  await auditEvidence(session, findings)
}

/**
 * Compares the number of messages with `head`. Prunings state only how many messages they removed, so a gap
 * is a difference only if there are no prunings.
 */
async function auditEvidence(session: Session, findings: Findings): Promise<void> {
  const row = await oneRow(session, MESSAGES)
  const [prunedCount, count, head] = [numberIn(row, 'gone'), numberIn(row, 'count'), numberIn(row, 'head')]
  const numbers = { table: 'evidence', column: 'seq', head: 'evidence' } as const
  if (prunedCount === 0) return auditNumbers(session, findings, numbers)
  const place = placeIn('head', 'evidence', 'rows, and those that were pruned')
  findings.compare(place, count + prunedCount, head)
}

const MESSAGES = `
  select (select coalesce(sum(messages), 0) from alvarium.pruning) as gone,
    (select count(*) from alvarium.evidence) as count, (select evidence from alvarium.head) as head`

async function auditNumbers(session: Session, findings: Findings, { table, column, head }: CountedColumn) {
  const [row] = await session.query(`
    select coalesce(max(${column}) + 1, 0)::text as next, (select ${head}::text from alvarium.head) as head
    from alvarium.${table}`)
  findings.compare(placeIn('head', head, 'the next number'), row?.['next'], row?.['head'])
  for (const { first, last } of await session.query(gapsIn(table, column, head))) {
    const numbers = first === last ? first : `${first} to ${last}`
    findings.differ(placeIn(table, numbers, 'row'), 'a row', 'nothing')
  }
}

function gapsIn(table: string, column: string, head: string): string {
  return `
    select (before + 1)::text as first, (number - 1)::text as last from (
      select number, coalesce(lag(number) over (order by number), -1) as before
      from (select ${column} as number from alvarium.${table} union select ${head} from alvarium.head) as numbers
    ) as pairs where before + 1 < number order by number limit 1000`
}

/** A query for rows that must not be there, and how to report them. */
interface Check extends Omit<Difference, 'row'> {
  readonly statement: string
  /** True if the query makes sense only for all rows. */
  readonly isOfWhole?: true
}

/**
 * Returns an SQL condition for entries at or after position `from`. With 0, it also selects forged negative
 * positions.
 */
function since(from: number, column = 'seq'): string {
  return from === 0 ? 'true' : `${column} >= ${from}`
}

const without = (to: string, on: string, from: number) =>
  `where ${since(from)} and not exists (select from alvarium.${to} where ${on}) order by 1`

/** Returns a query for the lineage edges that bundles state, and that messages of other SDKs imply. */
const statedEdges = (from: number) => `
  select datum as child, previous as parent, true as signed from alvarium.bundle where previous is not null and ${since(from)}
  union all select datum, unnest(inputs), true from alvarium.bundle where inputs is not null and ${since(from)}
  union all select datum, implied, false from alvarium.bundle where implied is not null and ${since(from)}`
const storedEdges = (from: number) => `
  select child, parent, signed from alvarium.edge
  where ${from === 0 ? 'true' : `child in (select datum from alvarium.bundle where ${since(from)})`}`

/** Returns a query for the edges in `of` that are not in `without`. A join would read large bundles once per edge. */
function lonePairs(of: string, without: string): string {
  return `select child || ' ' || parent as row from ((${of}) except (${without})) as lone order by 1`
}

/** Returns a check for log entries that have no row, although no pruning in `pruned` removed it. */
function entriesWithout(table: 'bundle' | 'pruning', isPruning: 'in' | 'not in', from: number): Check {
  const statement = `
    select seq as row from alvarium.leaf where seq >= ${from} and seq < (select leaves from alvarium.head)
    and not exists (select from alvarium.bundle where bundle.seq = leaf.seq)
    and not exists (select from alvarium.pruning where pruning.seq = leaf.seq)
    and not exists (select from alvarium.classic where classic.seq = leaf.seq)
    and coalesce((select last from alvarium.pruned where first <= seq order by first desc limit 1), -1) < seq
    and seq ${isPruning} (select pruning from alvarium.pruned) order by 1`
  return { table, what: 'row', expected: 'one for this entry of the log', got: 'nothing', statement }
}

const checksFrom = (from: number): Check[] => [
  entriesWithout('bundle', 'not in', from),
  entriesWithout('pruning', 'in', from),
  {
    table: 'pruned',
    what: 'bundles',
    expected: 'none',
    got: 'some',
    statement: `
      select first as row from alvarium.pruned
      where ${since(from, 'pruning')} and exists (select from alvarium.bundle where seq >= first and seq <= last) order by 1`,
  },
  {
    table: 'pruned',
    what: 'range',
    expected: 'entries of the log, each once',
    got: 'others',
    isOfWhole: true,
    statement: `
      select first as row from (select first, last, lead(first) over (order by first) as next from alvarium.pruned) as ranges
      where first > last or first < 0 or last >= coalesce(next, (select leaves from alvarium.head)) order by 1`,
  },
  {
    table: 'head',
    what: 'pruned',
    expected: 'as many as prunings and payloads have',
    got: 'others',
    isOfWhole: true,
    statement: `
      select 'all' as row from alvarium.head
      where pruned <> (select coalesce(sum(bundles), 0) from alvarium.pruning)
        or pruned <> (select coalesce(sum(pruned), 0) from alvarium.datum)`,
  },
  {
    table: 'head',
    what: 'classic',
    expected: 'as many as messages of other SDKs',
    got: 'others',
    isOfWhole: true,
    statement: `
      select 'classic' as row from alvarium.head where classic <> (select count(*) from alvarium.classic)`,
  },
  {
    table: 'datum',
    what: 'pruned',
    expected: 'as many bundles as were pruned',
    got: 'others',
    isOfWhole: true,
    statement: `
      select id as row from alvarium.datum
      where pruned < 0 or pruned > (select pruned from alvarium.head) order by 1`,
  },
  {
    // A block may span more time than its bundles, because bundles get pruned. One that spans less would hide
    // bundles from a search by time.
    table: 'arrival',
    what: 'times',
    expected: 'all times of receipt in its block',
    got: 'others',
    statement: `
      select found.block as row from (
        select bundle.seq / ${BLOCK} as block, min(received) as earliest, max(received) as latest,
          count(*) - count(received) as unknown
        from alvarium.bundle join alvarium.evidence on evidence.seq = bundle.evidence
        where ${since(from - (from % BLOCK), 'bundle.seq')} group by 1
      ) as found left join alvarium.arrival using (block)
      where found.block <= (select max(block) from alvarium.arrival) and (
        (found.earliest is null or (arrival.earliest <= found.earliest and arrival.latest >= found.latest))
        and arrival.unknown >= found.unknown
      ) is not true order by 1`,
  },
  {
    table: 'arrival',
    what: 'row',
    expected: 'nothing',
    got: 'a block that is not full',
    statement: `
      select block as row from alvarium.arrival
      where block < 0 or block >= (select leaves / ${BLOCK} from alvarium.head) order by 1`,
  },
  {
    table: 'leaf',
    what: 'row',
    expected: 'nothing',
    got: 'an entry behind the last one',
    statement: `
      select seq as row from alvarium.leaf where seq < 0 or seq >= (select leaves from alvarium.head) order by 1`,
  },
  {
    table: 'beside',
    what: 'row',
    expected: 'nothing',
    got: 'a message behind the last one',
    statement: `
      select seq as row from alvarium.beside where seq < 0 or seq >= (select beside from alvarium.head) order by 1`,
  },
  {
    table: 'bundle',
    what: 'leaf',
    expected: 'a row',
    got: 'nothing',
    statement: `select seq as row from alvarium.bundle ${without('leaf', 'bundle.seq = leaf.seq', from)}`,
  },
  {
    table: 'bundle',
    what: 'evidence',
    expected: 'a row',
    got: 'nothing',
    statement: `select seq as row from alvarium.bundle ${without('evidence', 'evidence.seq = bundle.evidence', from)}`,
  },
  {
    table: 'evidence',
    what: 'bundles',
    expected: 'one or more',
    got: 'none',
    isOfWhole: true,
    statement: `select seq as row from alvarium.evidence ${without('bundle', 'bundle.evidence = evidence.seq', 0)}`,
  },
  {
    table: 'edge',
    what: 'row',
    expected: 'one for all that a bundle says',
    got: 'nothing',
    statement: lonePairs(statedEdges(from), storedEdges(from)),
  },
  {
    table: 'edge',
    what: 'row',
    expected: 'nothing',
    got: 'an edge of no bundle',
    isOfWhole: true,
    statement: lonePairs(storedEdges(0), statedEdges(0)),
  },
]

/** Columns with unique values. The audit checks them because the owner may have removed the unique constraints. */
const ONCE: readonly (readonly [table: Difference['table'], columns: string, row?: string])[] = [
  ...(['leaf', 'evidence', 'beside', 'bundle', 'pruning', 'classic'] as const).map(
    (table) => [table, 'seq'] as const,
  ),
  ...(['datum', 'word', 'list'] as const).map((table) => [table, 'id'] as const),
  ['checkpoint', 'size'],
  ['pruned', 'first'],
  ['arrival', 'block'],
  ['leaf', 'id', 'max(seq)'],
  ['evidence', 'digest', 'max(seq)'],
  ['beside', 'identity', 'max(seq)'],
  ['datum', 'hash, digest', 'max(id)'],
  ['word', 'word', 'max(id)'],
  ['list', 'digest', 'max(id)'],
  ['tile', 'level, at', "level || ' ' || at"],
  ['edge', 'child, parent, signed', "child || ' ' || parent"],
]

function twice([table, columns, row = columns]: (typeof ONCE)[number]): Check {
  const statement = `select ${row} as row from alvarium.${table} group by ${columns} having count(*) > 1 order by 1`
  return { table, what: columns, expected: 'one row', got: 'more', statement }
}

interface CountedColumn {
  readonly table: Difference['table']
  readonly column: string
  /** Column of `head` with the next unused id. */
  readonly head: string
}

const COUNTED_COLUMNS: readonly CountedColumn[] = [
  { table: 'leaf', column: 'seq', head: 'leaves' },
  { table: 'beside', column: 'seq', head: 'beside' },
  { table: 'datum', column: 'id', head: 'data' },
  { table: 'word', column: 'id', head: 'words' },
  { table: 'list', column: 'id', head: 'lists' },
]
