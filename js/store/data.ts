import { verifyTurns } from '../foundation/base/time/turns.js'
import type { Input } from '../foundation/model/bundle.js'
import { byteColumn, hexColumn, numberIn, numbers, rowsOf } from './columns.js'
import type { Row } from './connection.js'
import type { Session } from './database.js'
import type { Entry } from './entry.js'
import { partsOf } from './groups.js'
import { assertAll } from './kept.js'
import { type DatumName, datumName } from './payload-name.js'

/** Numbers of payloads. New payloads are added. */
export class Data {
  /** Numbers by {@link keyOfDatum}: a key in lower case and one in upper case name one payload. */
  readonly #ids: ReadonlyMap<string, number>
  readonly #keys: ReadonlyMap<Input, string>
  /** Number of the first new payload. */
  readonly #from: number
  readonly next: number

  private constructor(
    ids: ReadonlyMap<string, number>,
    keys: ReadonlyMap<Input, string>,
    { from, next }: { readonly from: number; readonly next: number },
  ) {
    this.#ids = ids
    this.#keys = keys
    this.#from = from
    this.next = next
  }

  /** @param from - the number of the next payload */
  static async of(session: Session, entries: readonly Entry[], from: number): Promise<Data> {
    const wanted = new Map<string, DatumName>()
    const keys = new Map<Input, string>()
    for (const { payload, previous, inputs = [], implied } of entries) {
      for (const name of [payload, previous, implied, ...inputs]) {
        if (!name) continue
        if (keys.size % A_TURN === 0) await verifyTurns.take()
        const datum = datumName(name)
        const key = keyOfDatum(datum)
        keys.set(name, key)
        wanted.set(key, datum)
      }
    }
    const ids = new Map<string, number>()
    let next = from
    for (const some of partsOf([...wanted], TOGETHER)) next = await findOrAdd(session, some, ids, next)
    return new Data(ids, keys, { from, next })
  }

  /**
   * Returns the number of a payload or a set of the entries. Call it with the entry's own object: names are looked up by identity, because each
   * is decoded once.
   */
  id(name: Input): number {
    return this.#ids.get(this.#keys.get(name) as string) as number
  }

  /**
   * Adds new edges from payloads to the payloads and sets that they were made from.
   *
   * @returns how many edges lead from new payloads
   * @throws AlvariumError `STORE_FAILED` when a trigger or a rule has removed other edges
   */
  async addEdges(session: Session, entries: readonly Entry[]): Promise<number> {
    const edges = new Map<string, Edge>()
    for (const { payload, previous, inputs, implied } of entries) {
      const signed = inputs ?? (previous ? [previous] : undefined)
      for (const parent of signed ?? (implied ? [implied] : [])) {
        if (edges.size % A_TURN === 0) await verifyTurns.take()
        const edge = [this.id(payload), this.id(parent), signed !== undefined] as const
        edges.set(edge.join(), edge)
      }
    }
    const isNew = ([child]: Edge) => child >= this.#from
    const all = [...edges.values()]
    const fresh = all.filter(isNew)
    const others = all.filter((edge) => !isNew(edge))
    await rowsOfEdges(session, ADD_NEW_EDGES, fresh)
    await rowsOfEdges(session, ADD_EDGES, others)
    const counts = (await rowsOfEdges(session, COUNT_EDGES, others)).map((row) => numberIn(row, 'count'))
    const kept = counts.reduce((sum, count) => sum + count, 0)
    assertAll('edge', kept, others.length)
    return fresh.length
  }
}

/** Names, or edges, between turns of the event loop: one bundle can have 65,536 inputs. */
const A_TURN = 256

/**
 * Names, or edges, in a statement. With all 65,536 inputs of a bundle in one, its time grows faster than their number. And where PGlite runs in
 * this thread, nothing else runs during a statement.
 */
const TOGETHER = 1024

type Edge = readonly [child: number, parent: number, signed: boolean]

/** Runs a statement for all edges, page by page. @returns the rows of all */
async function rowsOfEdges(session: Session, statement: string, edges: readonly Edge[]): Promise<Row[]> {
  const rows: Row[] = []
  for (const some of partsOf(edges, TOGETHER)) {
    await verifyTurns.takeLong()
    const columns = [0, 1, 2].map((member) => numbers(some.map((edge) => edge[member])))
    rows.push(...(await session.query(statement, [...columns, some.length])))
  }
  return rows
}

/** Finds the numbers of payloads, or adds them. @returns the next number */
async function findOrAdd(
  session: Session,
  names: readonly Named[],
  ids: Map<string, number>,
  from: number,
): Promise<number> {
  await verifyTurns.takeLong()
  const textless: (readonly [id: number, text: Uint8Array])[] = []
  for (const row of await session.query(FIND_DATA, [...columnsOf(names), names.length])) {
    const [key, { text }] = names[numberIn(row, 'place') - 1] as Named
    const id = numberIn(row, 'id')
    ids.set(key, id)
    if (text && row['is_textless']) textless.push([id, text])
  }
  if (textless.length > 0) await session.query(GIVE_TEXTS, textColumns(textless))
  const left = names.filter(([key]) => !ids.has(key))
  if (left.length === 0) return from
  const texts = byteColumn(left.map(([, { text }]) => text))
  await session.query(ADD_DATA, [...columnsOf(left), left.length, ...texts, from])
  for (const [at, [key]] of left.entries()) ids.set(key, from + at)
  return from + left.length
}

type Named = readonly [key: string, datum: DatumName]

function keyOfDatum({ hash, digest }: DatumName): string {
  return hash + digest
}

function textColumns(texts: readonly (readonly [id: number, text: Uint8Array])[]): unknown[] {
  return [numbers(texts.map(([id]) => id)), ...byteColumn(texts.map(([, text]) => text))]
}

function columnsOf(names: readonly Named[]): unknown[] {
  const data = names.map(([, datum]) => datum)
  return [numbers(data.map(({ hash }) => hash)), ...hexColumn(data.map(({ digest }) => digest))]
}

const NAMED = `$1::text::smallint[] as hash, decode($2::text, 'hex') as digests, $3::text::integer[] as start, $4::text::integer[] as length`
const EACH = 'generate_series(1, $5::integer) as row'

const FIND_DATA = `
  select id, row as place, text is null as is_textless from ${rowsOf(EACH, NAMED)}
  cross join lateral (
    select id, text from alvarium.datum
    where datum.hash = given.hash[row] and digest = substring(digests from start[row] for length[row]) offset 0
  ) as datum`

/** Restores the text of a payload that a pruning removed, when a new bundle names the payload. */
const GIVE_TEXTS = `
  update alvarium.datum set text = substring($2::bytea from start for length)
  from unnest($1::text::bigint[], $3::text::integer[], $4::text::integer[]) as given (id, start, length)
  where datum.id = given.id`

const ADD_DATA = `
  insert into alvarium.datum (id, hash, digest, text)
  select $9::bigint + row - 1, hash[row], substring(digests from start[row] for length[row]),
    substring($6::bytea from text_start[row] for text_length[row])
  from ${rowsOf(EACH, `${NAMED}, $7::text::integer[] as text_start, $8::text::integer[] as text_length`)}`

const GIVEN_EDGES = rowsOf(
  'generate_series(1, $4::integer) as row',
  '$1::text::bigint[] as child, $2::text::bigint[] as parent, $3::text::boolean[] as signed',
)

/** New payloads have no edges yet: a lookup of each, as in `on conflict`, takes as long as adding it. */
const ADD_NEW_EDGES = `
  insert into alvarium.edge (child, parent, signed)
  select child[row], parent[row], signed[row] from ${GIVEN_EDGES}`

const ADD_EDGES = `${ADD_NEW_EDGES} on conflict do nothing`

const COUNT_EDGES = `
  select count(*) as count from ${GIVEN_EDGES} cross join lateral (
    select from alvarium.edge
    where edge.child = given.child[row] and edge.parent = given.parent[row] and edge.signed = given.signed[row] offset 0
  ) as edge`
