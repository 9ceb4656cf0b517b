import { toHex } from '../../base/bytes/hex.js'
import { bytesIn, numberIn, textsIn } from '../columns.js'
import type { Row } from '../connection.js'
import type { Session } from '../database.js'
import { listKey } from '../lexicon.js'
import { sha256 } from '../payload-name.js'
import type { Difference, Findings } from './findings.js'

/** Rows that no other row belongs to, and numbers that nobody has given out. */
export async function auditTables(session: Session, findings: Findings): Promise<void> {
  for (const { table, what, expected, got, statement } of LONE) {
    for (const row of await session.query(`${statement} limit 1000`)) {
      findings.add({ table, row: String(row['row']), what, expected, got })
    }
  }
  const [gone] = await session.query('select coalesce(sum(messages), 0) as messages from alvarium.pruning')
  for (const counted of COUNTED) {
    await auditNumbers(
      session,
      findings,
      counted,
      counted.table === 'evidence' ? numberIn(gone as Row, 'messages') : 0,
    )
  }
  await auditLists(session, findings)
}

/** @param gone - how many rows prunings have removed: then the first and the last may be among them */
async function auditNumbers(
  session: Session,
  findings: Findings,
  { table, column, head }: (typeof COUNTED)[number],
  gone: number,
): Promise<void> {
  const [row] = await session.query(`
    select count(*) as count, coalesce(max(${column}), -1) as last, coalesce(min(${column}), 0) as first,
      (select ${head} from alvarium.head) as head
    from alvarium.${table}`)
  const of = (name: string) => numberIn(row as Row, name)
  const where = { table, row: 'all', what: 'rows, the last and the first' } as const
  const [last, first] =
    gone > 0 && of('last') < of('head') && of('first') >= 0 ? [-1, 0] : [of('last'), of('first')]
  findings.compare(where, [of('head'), gone > 0 ? -1 : of('head') - 1, 0], [of('count') + gone, last, first])
}

interface Lone extends Omit<Difference, 'row'> {
  readonly statement: string
}

const without = (to: string, on: string) =>
  `where not exists (select from alvarium.${to} where ${on}) order by 1`

/** What bundles say that payloads were made from, and what messages of other SDKs imply. */
const SAID = `
  select datum as child, previous as parent, true as signed from alvarium.bundle where previous is not null
  union all select datum, unnest(inputs), true from alvarium.bundle where inputs is not null
  union all select datum, implied, false from alvarium.bundle where implied is not null`
const EDGES = 'select child, parent, signed from alvarium.edge'

/** By sets: a bundle of 65,536 inputs would be read again for each of its edges. */
function lonePairs(of: string, without: string): string {
  return `select child || ' ' || parent as row from ((${of}) except (${without})) as lone order by 1`
}

const LONE: readonly Lone[] = [
  {
    ...{ table: 'leaf', what: 'bundle', expected: 'a row', got: 'nothing' },
    statement: `
      select seq as row from alvarium.leaf where not exists (select from alvarium.bundle where bundle.seq = leaf.seq)
        and coalesce((select last from alvarium.pruned where first <= seq order by first desc limit 1), -1) < seq order by 1`,
  },
  {
    ...{ table: 'pruned', what: 'bundles', expected: 'none', got: 'some' },
    statement: `
      select first as row from alvarium.pruned
      where exists (select from alvarium.bundle where seq >= first and seq <= last) order by 1`,
  },
  {
    ...{ table: 'pruned', what: 'pruning', expected: 'a row', got: 'nothing' },
    statement: `select first as row from alvarium.pruned ${without('pruning', 'pruning.id = pruned.pruning')}`,
  },
  {
    ...{ table: 'pruned', what: 'range', expected: 'entries of the log, each once', got: 'others' },
    statement: `
      select first as row from (select first, last, lead(first) over (order by first) as next from alvarium.pruned) as ranges
      where first > last or first < 0 or last >= coalesce(next, (select leaves from alvarium.head)) order by 1`,
  },
  {
    ...{ table: 'pruning', what: 'bundles', expected: 'as many as its ranges have', got: 'others' },
    statement: `
      select id as row from alvarium.pruning
      where bundles <> (select coalesce(sum(last - first + 1), 0) from alvarium.pruned where pruning = id) order by 1`,
  },
  {
    ...{ table: 'head', what: 'pruned', expected: 'as many as prunings and payloads have', got: 'others' },
    statement: `
      select 'all' as row from alvarium.head
      where pruned <> (select coalesce(sum(bundles), 0) from alvarium.pruning)
        or pruned <> (select coalesce(sum(pruned), 0) from alvarium.datum)`,
  },
  {
    ...{ table: 'bundle', what: 'leaf', expected: 'a row', got: 'nothing' },
    statement: `select seq as row from alvarium.bundle ${without('leaf', 'bundle.seq = leaf.seq')}`,
  },
  {
    ...{ table: 'bundle', what: 'evidence', expected: 'a row', got: 'nothing' },
    statement: `select seq as row from alvarium.bundle ${without('evidence', 'evidence.seq = bundle.evidence')}`,
  },
  {
    ...{ table: 'evidence', what: 'bundles', expected: 'one or more', got: 'none' },
    statement: `select seq as row from alvarium.evidence ${without('bundle', 'bundle.evidence = evidence.seq')}`,
  },
  {
    ...{ table: 'edge', what: 'row', expected: 'one for all that a bundle says', got: 'nothing' },
    statement: lonePairs(SAID, EDGES),
  },
  {
    ...{ table: 'edge', what: 'row', expected: 'nothing', got: 'an edge of no bundle' },
    statement: lonePairs(EDGES, SAID),
  },
]

/** Numbers are given out one after the other, and none is left out. */
const COUNTED = [
  { table: 'leaf', column: 'seq', head: 'leaves' },
  { table: 'evidence', column: 'seq', head: 'evidence' },
  { table: 'datum', column: 'id', head: 'data' },
  { table: 'word', column: 'id', head: 'words' },
  { table: 'list', column: 'id', head: 'lists' },
] as const

/** A list is found by its digest: with another one, it would be stored again. */
async function auditLists(session: Session, findings: Findings): Promise<void> {
  for (let after = -1; ; ) {
    const rows = await session.query(LISTS, [after])
    if (rows.length === 0) return
    for (const row of rows) {
      after = numberIn(row, 'id')
      const digest = sha256(new TextEncoder().encode(listKey(textsIn(row, 'texts'))))
      findings.compare(
        { table: 'list', row: `${after}`, what: 'digest' },
        toHex(digest),
        toHex(bytesIn(row, 'digest')),
      )
    }
  }
}

const LISTS = `
  select id, digest, (
    select array_agg(encode(word, 'hex') order by place)
    from unnest(words) with ordinality as given (id, place) join alvarium.word using (id)
  ) as texts
  from alvarium.list where id > $1::integer order by id limit 1000`
