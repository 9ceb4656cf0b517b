import { ACTIONS } from '../../foundation/model/bundle.js'
import type { Row } from '../database/connection.js'
import { oneRow, type Session } from '../database/database.js'
import { addClassicRecords } from '../log/classic.js'
import { assertCount } from '../rows/assert-stored.js'
import {
  byteColumn,
  numberIn,
  numbers,
  plainTexts,
  rowsFromColumns,
  sparse,
  toBits,
} from '../rows/columns.js'
import { momentOf } from '../rows/moment.js'
import { listKey, NAMING_COLUMN, type StringTable, StringTableWriter } from '../rows/string-table.js'
import { addArrivals } from './arrivals.js'
import type { Entry, VerifiedEntry } from './entry.js'
import { addMessages, type MessageIds } from './message-ids.js'
import { PayloadIds } from './payload-ids.js'

/** Next unused ids of the tables, read while the row `head` is locked. */
export interface Head {
  readonly leaves: number
  readonly evidence: number
  readonly data: number
  readonly words: number
  readonly lists: number
  readonly naming: string
}

const LOCK = `select leaves, evidence, data, words, lists, ${NAMING_COLUMN} from alvarium.head for update`

/** Locks the row `head`, so that until the end of this transaction no other one can add rows to the store. */
export async function lockHead(session: Session): Promise<Head> {
  const row = await oneRow(session, LOCK)
  const [leaves, evidence] = [numberIn(row, 'leaves'), numberIn(row, 'evidence')]
  const [data, words, lists] = [numberIn(row, 'data'), numberIn(row, 'words'), numberIn(row, 'lists')]
  return { leaves, evidence, data, words, lists, naming: String(row['naming']) }
}

/** Adds entries that the store does not have, and their messages. Call `committed` after the commit. */
export async function addEntries(
  session: Session,
  strings: StringTable,
  given: readonly VerifiedEntry[],
): Promise<{ readonly added: number; committed(): void }> {
  const head = await lockHead(session)
  strings.follow(session, head.naming)
  const found = await findNew(session, given)
  if (found.length === 0) return { added: 0, committed: () => undefined }
  const naming = new StringTableWriter(strings)
  const entries = found.map(({ entry }) => entry)
  const { lists: listed, keys } = listsOf(entries)
  const words = await naming.nameWords(session, wordsOf(entries, listed), head.words)
  const lists = await naming.nameLists(session, listed, head.lists)
  const data = await PayloadIds.of(session, entries, head.data)
  const received = found.map(({ evidence }) => evidence)
  const messages = await addMessages(session, received, head.evidence)
  const ids = entries.map(({ id }) => id).join('')
  await session.query(ADD_LEAVES, [head.leaves, found.length, ids])
  await session.query(ADD_BUNDLES, [head.leaves, ...bundleColumns(found, { naming, data, messages, keys })])
  const edges = await data.addEdges(session, entries)
  const recorded = await addClassicRecords(session, found, head.leaves)
  const leaves = head.leaves + found.length + recorded
  await addArrivals(session, head.leaves, leaves)
  const next = { leaves, evidence: messages.next, data: data.next, words, lists }
  const after = await moveHead(session, head, next, { classic: recorded, edges })
  return { added: found.length, committed: () => naming.committed([head.naming, after]) }
}

function numbersOf({ leaves, evidence, data, words, lists }: Omit<Head, 'naming'>): number[] {
  return [leaves, evidence, data, words, lists]
}

/**
 * Writes the next unused ids to `head`, and counts the added rows, because a trigger or a rule may have removed
 * some without an error. @returns the new value of `head.naming`
 */
async function moveHead(
  session: Session,
  head: Head,
  next: Omit<Head, 'naming'>,
  { classic, edges }: { readonly classic: number; readonly edges: number },
): Promise<string> {
  const rows = await session.query(MOVE_HEAD, [...numbersOf(next), classic, ...numbersOf(head)])
  assertCount('head', rows.length, 1)
  const row = rows[0] as Row
  const leaf = next.leaves - head.leaves
  const given = {
    leaf,
    bundle: leaf - classic,
    classic,
    edge: edges,
    evidence: next.evidence - head.evidence,
    datum: next.data - head.data,
    word: next.words - head.words,
    list: next.lists - head.lists,
  }
  for (const [table, count] of Object.entries(given)) assertCount(table, numberIn(row, table), count)
  return String(row['naming'])
}

const countFrom = (table: string, column: string, from: number) =>
  `(select count(*) from alvarium.${table} where ${column} >= $${from}::bigint) as ${table}`

const MOVE_HEAD = `
  update alvarium.head set leaves = $1::bigint, evidence = $2::bigint, data = $3::bigint,
    words = $4::bigint, lists = $5::bigint, classic = classic + $6::bigint,
    naming = case when words = $4::bigint and lists = $5::bigint then naming else gen_random_uuid() end
  returning ${NAMING_COLUMN},
    ${countFrom('leaf', 'seq', 7)}, ${countFrom('bundle', 'seq', 7)}, ${countFrom('classic', 'seq', 7)},
    ${countFrom('evidence', 'seq', 8)}, ${countFrom('datum', 'id', 9)}, ${countFrom('edge', 'child', 9)},
    ${countFrom('word', 'id', 10)}, ${countFrom('list', 'id', 11)}`

async function findNew(session: Session, given: readonly VerifiedEntry[]): Promise<VerifiedEntry[]> {
  const byId = new Map<string, VerifiedEntry>()
  for (const one of given) if (!byId.has(one.entry.id)) byId.set(one.entry.id, one)
  const ids = [...byId.keys()]
  const known = await session.query(FIND_LEAVES, [ids.join(''), ids.length])
  for (const row of known) byId.delete(ids[numberIn(row, 'place')] as string)
  return [...byId.values()]
}

const FIND_LEAVES = `
  select place from generate_series(0, $2::integer - 1) as given (place)
  cross join lateral (
    select from alvarium.leaf where id = substring(decode($1::text, 'hex') from 32 * place + 1 for 32) offset 0
  ) as leaf`

const ADD_LEAVES = `
  insert into alvarium.leaf (seq, id)
  select $1::bigint + place, substring(decode($3::text, 'hex') from 32 * place + 1 for 32)
  from generate_series(0, $2::integer - 1) as given (place)`

/** Returns the distinct lists of kinds and tags by {@link listKey}, and the keys of each entry's two lists. */
function listsOf(entries: readonly Entry[]) {
  const lists = new Map<string, readonly string[]>()
  const keys = entries.map(({ annotations }) => {
    const texts = [annotations.map(({ kind }) => kind), annotations.map(({ tag }) => tag)] as const
    const [kinds, tags] = [listKey(texts[0]), listKey(texts[1])]
    lists.set(kinds, texts[0]).set(tags, texts[1])
    return { kinds, tags }
  })
  return { lists, keys }
}

function wordsOf(entries: readonly Entry[], lists: ReadonlyMap<string, readonly string[]>): Set<string> {
  const words = new Set<string>([...lists.values()].flat())
  for (const { signer, signedBy, host, layer } of entries) {
    words.add(signer).add(host).add(layer)
    if (signedBy !== undefined) words.add(signedBy)
  }
  return words
}

interface RowNumbers {
  readonly naming: StringTableWriter
  readonly data: PayloadIds
  readonly messages: MessageIds
  /** Keys, by {@link listKey}, of each entry's lists of kinds and tags. */
  readonly keys: readonly { readonly kinds: string; readonly tags: string }[]
}

function bundleColumns(
  found: readonly VerifiedEntry[],
  { naming, data, messages, keys }: RowNumbers,
): unknown[] {
  const entries = found.map(({ entry }) => entry)
  const moments = entries.map(({ timestamp }) => momentOf(timestamp))
  const word = (of: (entry: Entry) => string) => numbers(entries.map((entry) => naming.word(of(entry))))
  return [
    numbers(found.map(({ evidence }) => messages.seqs.get(evidence.message))),
    numbers(entries.map(({ payload }) => data.id(payload))),
    sparse(entries.map(({ previous }) => previous && data.id(previous))),
    plainTexts(entries.map(({ inputs }) => inputs && numbers(inputs.map((input) => data.id(input))))),
    numbers(moments.map(({ at }) => at)),
    word(({ signer }) => signer),
    sparse(entries.map(({ signedBy }) => (signedBy === undefined ? signedBy : naming.word(signedBy)))),
    word(({ host }) => host),
    word(({ layer }) => layer),
    numbers(keys.map(({ kinds }) => naming.list(kinds))),
    numbers(keys.map(({ tags }) => naming.list(tags))),
    numbers(entries.map(({ place }) => place)),
    sparse(entries.map(({ action }) => action && ACTIONS.indexOf(action))),
    plainTexts(moments.map(({ spelled }) => spelled)),
    ...byteColumn(entries.map(({ annotations }) => toBits(annotations))),
    sparse(entries.map(({ implied }) => implied && data.id(implied))),
    found.length,
  ]
}

const ADD_BUNDLES = `
  insert into alvarium.bundle (seq, evidence, datum, previous, inputs, at, signer, signed_by, host, layer, kinds, tags,
    place, action, spelled, ok, implied)
  select $1::bigint + row - 1, evidence[row], datum[row], previous[row], inputs::bigint[], at[row], signer[row],
    signed_by[row], host[row], layer[row], kinds[row], tags[row],
    place[row], action[row], spelled, substring(ok from start[row] for length[row]), implied[row]
  from ${rowsFromColumns(
    `generate_series(1, $20::integer) as row, unnest($5::text::text[]) as inputs, unnest($15::text::text[]) as spelled`,
    `$2::text::bigint[] as evidence, $3::text::bigint[] as datum, $4::text::bigint[] as previous, $6::text::bigint[] as at,
    $7::text::integer[] as signer, $8::text::integer[] as signed_by, $9::text::integer[] as host, $10::text::integer[] as layer,
    $11::text::integer[] as kinds, $12::text::integer[] as tags, $13::text::integer[] as place, $14::text::smallint[] as action,
    $16::bytea as ok, $17::text::integer[] as start, $18::text::integer[] as length, $19::text::bigint[] as implied`,
  )}`
