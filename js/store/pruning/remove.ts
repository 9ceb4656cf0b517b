import { oneRow, type Session } from '../database/database.js'
import { numberIn, numbers, numbersIn } from '../rows/columns.js'
import { rangeColumns, rangesOf } from './ranges.js'
import type { LeftRows } from './record.js'

export interface RemovedRows {
  /** Positions in the log of the removed bundles, without bundles that another call had already removed. */
  readonly seqs: readonly number[]
  /** Sequence numbers of the messages that contained the bundles. */
  readonly evidence: readonly number[]
  /** Rows that the removed bundles referred to. These rows may now be unreferenced. */
  readonly left: LeftRows
}

/** A bundle that remains of a message after other bundles were removed. */
export interface Remaining {
  readonly seq: number
  readonly evidence: number
  readonly place: number
  readonly isClassic: boolean
}

/**
 * Removes bundles, their edges, and payload texts without references, and counts them as pruned. The caller
 * must remove the messages, and hold the lock on `alvarium.head`: an ingester could otherwise refer to removed
 * rows. `forget` sets `forgottenAt`, in milliseconds since 1970, on the bundles' payloads.
 */
export async function removeBundles(
  session: Session,
  bundleSeqs: readonly number[],
  forgottenAt?: number,
): Promise<RemovedRows> {
  const rows = await session.query(DELETE, [numbers(bundleSeqs)])
  const column = (name: string) => rows.map((row) => numberIn(row, name))
  const data = column('datum')
  await session.query(COUNT, [numbers(data), forgottenAt])
  const children = rows.filter((row) => row['has_edges']).map((row) => numberIn(row, 'datum'))
  const parents =
    children.length === 0 ? [] : await session.query(DELETE_EDGES, [numbers([...new Set(children)])])
  const named = new Set([...data, ...parents.map((row) => numberIn(row, 'parent'))])
  await session.query(DELETE_TEXTS, [numbers([...named])])
  const left = {
    word: rangesOf(numbersIn(rows, ['signer', 'signed_by', 'host', 'layer'])),
    list: rangesOf(numbersIn(rows, ['kinds', 'tags'])),
    datum: rangesOf([...named]),
  }
  return { seqs: column('seq'), evidence: [...new Set(column('evidence'))], left }
}

const GIVEN_NUMBERS = 'array(select unnest($1::text::bigint[]))'

const DELETE = `
  delete from alvarium.bundle where seq = any(${GIVEN_NUMBERS})
  returning seq, datum, evidence, signer, signed_by, host, layer, kinds, tags,
    previous is not null or inputs is not null or implied is not null as has_edges`

const COUNT = `
  update alvarium.datum set pruned = pruned + count, forgotten = coalesce($2::bigint, forgotten)
  from (select id, count(*) as count from unnest($1::text::bigint[]) as given (id) group by id) as gone
  where datum.id = gone.id`

/** Removes the edges that no bundle states any more, in one statement: a bundle can have 65,536 edges. */
const DELETE_EDGES = `
  with said as materialized (
    select datum as child, previous as parent, true as signed from alvarium.bundle
    where datum = any(${GIVEN_NUMBERS}) and previous is not null
    union all select datum, unnest(inputs), true from alvarium.bundle where datum = any(${GIVEN_NUMBERS}) and inputs is not null
    union all select datum, implied, false from alvarium.bundle where datum = any(${GIVEN_NUMBERS}) and implied is not null
  )
  delete from alvarium.edge where child = any(${GIVEN_NUMBERS}) and not exists (
    select from said where said.child = edge.child and said.parent = edge.parent and said.signed = edge.signed
  ) returning parent`

const DELETE_TEXTS = `
  update alvarium.datum set text = null
  where id = any(${GIVEN_NUMBERS}) and text is not null
    and not exists (select from alvarium.bundle where bundle.datum = datum.id)
    and not exists (select from alvarium.edge where edge.child = datum.id)
    and not exists (select from alvarium.edge where edge.parent = datum.id)`

export async function remainingOf(session: Session, evidence: readonly number[]): Promise<Remaining[]> {
  const rows = await session.query(REMAINING, rangeColumns(rangesOf(evidence)))
  return rows.map((row) => ({
    seq: numberIn(row, 'seq'),
    evidence: numberIn(row, 'evidence'),
    place: numberIn(row, 'place'),
    isClassic: row['action'] === null,
  }))
}

const REMAINING = `
  select seq, evidence, place, action from unnest($1::text::bigint[], $2::text::bigint[]) as given (first, last)
  cross join lateral (
    select seq, evidence, place, action from alvarium.bundle where evidence >= first and evidence <= last offset 0
  ) as bundle`

export async function removeMessages(session: Session, evidence: readonly number[]): Promise<number> {
  if (evidence.length === 0) return 0
  return numberIn(await oneRow(session, DELETE_MESSAGES, [numbers(evidence)]), 'count')
}

const DELETE_MESSAGES = `
  with gone as (delete from alvarium.evidence where seq = any(${GIVEN_NUMBERS}) returning seq) select count(*) as count from gone`
