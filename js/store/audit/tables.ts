import { toHex } from '../../base/bytes/hex.js'
import { bytesIn, numberIn, textsIn } from '../columns.js'
import type { Row } from '../connection.js'
import type { Session } from '../database.js'
import { listKey } from '../lexicon.js'
import { payloadName, sha256 } from '../payload-name.js'
import type { Difference, Findings } from './findings.js'
import { edgeText } from './rows.js'

/** Rows that no other row belongs to, and numbers that nobody has given out. */
export async function auditTables(session: Session, findings: Findings): Promise<void> {
  for (const { table, what, expected, got, statement } of LONE) {
    for (const row of await session.query(`${statement} limit 1000`)) {
      findings.add({ table, row: String(row['row']), what, expected, got })
    }
  }
  for (const [table, column] of COUNTED) {
    const [row] = await session.query(`
      select count(*) as count, coalesce(max(${column}), -1) as last, coalesce(min(${column}), 0) as first,
        (select ${table === 'leaf' ? 'leaves' : table === 'evidence' ? table : table === 'datum' ? 'data' : `${table}s`} from alvarium.head) as head
      from alvarium.${table}`)
    const [count, last, first, head] = ['count', 'last', 'first', 'head'].map((name) =>
      numberIn(row as Row, name),
    )
    const numbered = [head, head === 0 ? -1 : Number(head) - 1, 0]
    findings.compare({ table, row: 'all', what: 'rows, the last and the first' }, numbered, [
      count,
      last,
      first,
    ])
  }
  await auditLists(session, findings)
}

interface Lone extends Omit<Difference, 'row'> {
  readonly statement: string
}

const without = (to: string, on: string) =>
  `where not exists (select from alvarium.${to} where ${on}) order by 1`

/** What bundles say that payloads were made from. */
const SAID = `
  select datum as child, previous as parent from alvarium.bundle where previous is not null
  union all select datum, unnest(inputs) from alvarium.bundle where inputs is not null`
const EDGES = 'select child, parent from alvarium.edge where signed'

/** By sets: a bundle of 65,536 inputs would be read again for each of its edges. */
function lonePairs(of: string, without: string): string {
  return `select child || ' ' || parent as row from ((${of}) except (${without})) as lone order by 1`
}

const LONE: readonly Lone[] = [
  {
    ...{ table: 'leaf', what: 'bundle', expected: 'a row', got: 'nothing' },
    statement: `select seq as row from alvarium.leaf ${without('bundle', 'bundle.seq = leaf.seq')}`,
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
  ['leaf', 'seq'],
  ['evidence', 'seq'],
  ['datum', 'id'],
  ['word', 'id'],
  ['list', 'id'],
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

/** Edges that nobody has signed, which the columns do not have. */
export async function auditImplied(
  session: Session,
  findings: Findings,
  implied: ReadonlySet<string>,
): Promise<void> {
  const left = new Set(implied)
  const rows = await session.query(IMPLIED)
  for (const row of rows) {
    const text = edgeText(nameIn(row, 'child_'), nameIn(row, 'parent_'))
    if (left.delete(text)) continue
    findings.add({
      table: 'edge',
      row: `${row['row']}`,
      what: 'row',
      expected: 'nothing',
      got: 'an edge that no message implies',
    })
  }
  for (const text of left) {
    findings.add({
      table: 'edge',
      row: text,
      what: 'row',
      expected: 'the edge that a message implies',
      got: 'nothing',
    })
  }
}

function nameIn(row: Row, prefix: string) {
  if (row[`${prefix}hash`] === null) return { hash: 'none', key: 'nothing' } as const
  const text = row[`${prefix}text`] === null ? undefined : bytesIn(row, `${prefix}text`)
  return payloadName(numberIn(row, `${prefix}hash`), bytesIn(row, `${prefix}digest`), text)
}

const IMPLIED = `
  select child || ' ' || parent as row,
    child.hash as child_hash, child.digest as child_digest, child.text as child_text,
    parent.hash as parent_hash, parent.digest as parent_digest, parent.text as parent_text
  from alvarium.edge
  left join alvarium.datum as child on child.id = edge.child left join alvarium.datum as parent on parent.id = edge.parent
  where not signed`
