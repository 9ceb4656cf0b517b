import { verifyTurns } from '../../foundation/base/time/turns.js'
import type { Input } from '../../foundation/model/bundle.js'
import type { Row } from '../database/connection.js'
import type { Session } from '../database/database.js'
import { assertCount } from '../rows/assert-stored.js'
import { byteColumn, hexColumn, numberIn, numbers, rowsFromColumns } from '../rows/columns.js'
import { partsOf } from '../rows/groups.js'
import { type DatumName, datumName } from '../rows/payload-name.js'
import type { Entry } from './entry.js'

export class PayloadIds {
  /** Ids by {@link keyOfDatum}. A payload key in upper case and the same key in lower case share one id. */
  readonly #ids = new Map<string, number>()
  readonly #keys = new Map<Input, string>()
  readonly #from: number
  /** The next unused id. */
  next: number

  private constructor(from: number) {
    this.#from = from
    this.next = from
  }

  static async of(session: Session, entries: readonly Entry[], from: number): Promise<PayloadIds> {
    const payloads = new PayloadIds(from)
    const wanted = [...(await payloads.#collect(entries))]
    for (const page of partsOf(wanted, ROWS_PER_STATEMENT)) {
      payloads.next = await findOrAdd(session, page, payloads.#ids, payloads.next)
    }
    return payloads
  }

  async #collect(entries: readonly Entry[]): Promise<Map<string, DatumName>> {
    const wanted = new Map<string, DatumName>()
    for (const { payload, previous, inputs = [], implied } of entries) {
      for (const name of [payload, previous, implied, ...inputs]) {
        if (!name) continue
        if (this.#keys.size % ROWS_PER_TURN === 0) await verifyTurns.yieldIfDue()
        const datum = datumName(name)
        const key = keyOfDatum(datum)
        this.#keys.set(name, key)
        wanted.set(key, datum)
      }
    }
    return wanted
  }

  /**
   * Returns the id of a payload or a set. `name` must be the same object as in the entries passed to `of`, not a
   * copy, because lookup is by object identity.
   */
  id(name: Input): number {
    return this.#ids.get(this.#keys.get(name) as string) as number
  }

  /**
   * Adds new edges from payloads to the payloads and sets from which they were made.
   *
   * @returns the number of edges whose child is a new payload
   */
  async addEdges(session: Session, entries: readonly Entry[]): Promise<number> {
    const edges = new Map<string, Edge>()
    for (const { payload, previous, inputs, implied } of entries) {
      const signed = inputs ?? (previous ? [previous] : undefined)
      for (const parent of signed ?? (implied ? [implied] : [])) {
        if (edges.size % ROWS_PER_TURN === 0) await verifyTurns.yieldIfDue()
        const edge = [this.id(payload), this.id(parent), signed !== undefined] as const
        edges.set(edge.join(), edge)
      }
    }
    const isNew = ([child]: Edge) => child >= this.#from
    const all = [...edges.values()]
    const fresh = all.filter(isNew)
    const others = all.filter((edge) => !isNew(edge))
    await runForEdges(session, ADD_NEW_EDGES, fresh)
    await runForEdges(session, ADD_EDGES, others)
    const counts = await runForEdges(session, COUNT_EDGES, others)
    const storedCount = counts.reduce((sum, row) => sum + numberIn(row, 'count'), 0)
    assertCount('edge', storedCount, others.length)
    return fresh.length
  }
}

/** Names or edges between two checks of whether to yield. A bundle can have 65,536 inputs. */
const ROWS_PER_TURN = 256

/**
 * Names or edges per statement. A statement with all 65,536 inputs of a bundle takes disproportionately long,
 * and blocks this thread if PGlite runs in it.
 */
const ROWS_PER_STATEMENT = 1024

type Edge = readonly [child: number, parent: number, signed: boolean]

async function runForEdges(session: Session, statement: string, edges: readonly Edge[]): Promise<Row[]> {
  const rows: Row[] = []
  for (const page of partsOf(edges, ROWS_PER_STATEMENT)) {
    await verifyTurns.yieldIfDueLong()
    const columns = [0, 1, 2].map((member) => numbers(page.map((edge) => edge[member])))
    rows.push(...(await session.query(statement, [...columns, page.length])))
  }
  return rows
}

/** Finds the ids of payloads, and adds missing payloads. @returns the next unused id */
async function findOrAdd(
  session: Session,
  names: readonly KeyedName[],
  ids: Map<string, number>,
  from: number,
): Promise<number> {
  await verifyTurns.yieldIfDueLong()
  const textless: (readonly [id: number, text: Uint8Array])[] = []
  for (const row of await session.query(FIND_DATA, [...nameColumns(names), names.length])) {
    const [key, { text }] = names[numberIn(row, 'place') - 1] as KeyedName
    const id = numberIn(row, 'id')
    ids.set(key, id)
    if (text && row['is_textless']) textless.push([id, text])
  }
  if (textless.length > 0) {
    const restored = byteColumn(textless.map(([, text]) => text))
    await session.query(RESTORE_TEXTS, [numbers(textless.map(([id]) => id)), ...restored])
  }
  const left = names.filter(([key]) => !ids.has(key))
  if (left.length === 0) return from
  const texts = byteColumn(left.map(([, { text }]) => text))
  await session.query(ADD_DATA, [...nameColumns(left), left.length, ...texts, from])
  for (const [at, [key]] of left.entries()) ids.set(key, from + at)
  return from + left.length
}

type KeyedName = readonly [key: string, datum: DatumName]

function keyOfDatum({ hash, digest }: DatumName): string {
  return hash + digest
}

function nameColumns(names: readonly KeyedName[]): unknown[] {
  const data = names.map(([, datum]) => datum)
  return [numbers(data.map(({ hash }) => hash)), ...hexColumn(data.map(({ digest }) => digest))]
}

const NAME_COLUMNS = `$1::text::smallint[] as hash, decode($2::text, 'hex') as digests, $3::text::integer[] as start, $4::text::integer[] as length`
const EACH_NAME = 'generate_series(1, $5::integer) as row'

const FIND_DATA = `
  select id, row as place, text is null as is_textless from ${rowsFromColumns(EACH_NAME, NAME_COLUMNS)}
  cross join lateral (
    select id, text from alvarium.datum
    where datum.hash = given.hash[row] and digest = substring(digests from start[row] for length[row]) offset 0
  ) as datum`

/** Restores payload texts that a pruning removed, when a new bundle names these payloads again. */
const RESTORE_TEXTS = `
  update alvarium.datum set text = substring($2::bytea from start for length)
  from unnest($1::text::bigint[], $3::text::integer[], $4::text::integer[]) as given (id, start, length)
  where datum.id = given.id`

const ADD_DATA = `
  insert into alvarium.datum (id, hash, digest, text)
  select $9::bigint + row - 1, hash[row], substring(digests from start[row] for length[row]),
    substring($6::bytea from text_start[row] for text_length[row])
  from ${rowsFromColumns(EACH_NAME, `${NAME_COLUMNS}, $7::text::integer[] as text_start, $8::text::integer[] as text_length`)}`

const GIVEN_EDGES = rowsFromColumns(
  'generate_series(1, $4::integer) as row',
  '$1::text::bigint[] as child, $2::text::bigint[] as parent, $3::text::boolean[] as signed',
)

/** Inserts edges of new payloads. No such edge can exist yet, so `on conflict` would only double the time. */
const ADD_NEW_EDGES = `
  insert into alvarium.edge (child, parent, signed)
  select child[row], parent[row], signed[row] from ${GIVEN_EDGES}`

const ADD_EDGES = `${ADD_NEW_EDGES} on conflict do nothing`

const COUNT_EDGES = `
  select count(*) as count from ${GIVEN_EDGES} cross join lateral (
    select from alvarium.edge
    where edge.child = given.child[row] and edge.parent = given.parent[row] and edge.signed = given.signed[row] offset 0
  ) as edge`
