import * as v from 'valibot'
import { integer, oneOf, readOptions, strict } from '../../foundation/base/options/schema.js'
import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { Row } from '../database/connection.js'
import type { Session } from '../database/database.js'
import { numberIn, numbers } from '../rows/columns.js'
import { groupsOf } from '../rows/groups.js'
import { inputNames } from './stored-bundle.js'

/** Selects the direction and the maximum size of a lineage. */
export interface LineageOptions {
  /**
   * Direction of the lineage. `'up'` leads to the payloads from which this one was made, and to their
   * ancestors. `'down'` leads to the payloads made from this one, for a recall. Default `'up'`.
   */
  readonly direction?: 'up' | 'down' | undefined
  /** Maximum number of payloads and sets besides the payload itself, nearest first. Default `1_000`. */
  readonly limit?: number | undefined
  /** True to follow unsigned edges too, which a `mutate` of another SDK implies. Default `false`. */
  readonly implied?: boolean | undefined
}

/** Valibot schema of {@link LineageOptions}. It is exported for the documentation page of limits. */
export const schema = strict({
  direction: v.optional(oneOf(['up', 'down']), 'up'),
  limit: integer(1, 100_000, 1_000),
  implied: v.optional(v.boolean('true or false'), false),
})

/** A payload in a lineage, with its distance and its sources. */
export interface Relative extends PayloadName {
  /** Smallest number of `mutate` steps to the payload that was asked about, which itself has 0. */
  readonly depth: number
  /** Indexes, in `payloads`, of the payloads from which this one was made. */
  readonly madeFrom: readonly number[]
  /** Ids of the sealed sets from which this payload was made, if `direction` is `'up'`. */
  readonly madeFromSets?: readonly string[]
  /** Number of pruned bundles about this payload, which might have named more sources. Missing if 0. */
  readonly pruned?: number
  /** Time at which `forget` last removed a bundle about this payload, in milliseconds since 1970. */
  readonly forgottenAt?: number
}

/** Ancestors or descendants of a payload. */
export interface Lineage {
  /** The payload that was asked about, and then its relatives, nearest first and without duplicates. */
  readonly payloads: readonly Relative[]
  /** True if the lineage is complete, false if `limit` left some payloads out. */
  readonly isWhole: boolean
}

export type LineageSettings = v.InferOutput<typeof schema>

export function readLineageOptions(options: LineageOptions = {}): LineageSettings {
  return readOptions(schema, options, 'lineage')
}

export function aloneIn(name: PayloadName): Lineage {
  return { payloads: [{ ...name, depth: 0, madeFrom: [] }], isWhole: true }
}

export interface Edges {
  /** Ids of the payloads and sets, including the start. */
  readonly ids: readonly number[]
  readonly isWhole: boolean
  readonly pairs: readonly (readonly [child: number, parent: number])[]
  readonly parents: ReadonlyMap<number, readonly number[]>
}

/** Follows the edges from the given payloads. @param settings - `limit` does not count the given payloads */
export async function edgesFrom(
  session: Session,
  from: readonly number[],
  { direction, limit, implied }: LineageSettings,
): Promise<Edges> {
  const maxCount = limit + from.length
  const [statement, given] = from.length === 1 ? [FROM_ONE, from[0]] : [FROM_MANY, numbers(from)]
  const rows = await session.query(statement[direction], [maxCount + 1, implied, given])
  const all = rows.map((row) => numberIn(row, 'id'))
  const isWhole = all.length <= maxCount
  const ids = all.slice(0, maxCount)
  const edges = await session.query(isWhole ? ALL_EDGES[direction] : EDGES, [numbers(ids), implied])
  const pairs = pairsIn(edges)
  return { ids, isWhole, pairs, parents: groupsOf(pairs) }
}

export function pairsIn(rows: readonly Row[]): Edges['pairs'] {
  return rows.map((row) => [numberIn(row, 'child'), numberIn(row, 'parent')])
}

export async function lineageOf(session: Session, id: number, settings: LineageSettings): Promise<Lineage> {
  const { isWhole, pairs, parents } = await edgesFrom(session, [id], settings)
  const children = () => groupsOf(pairs.map(([child, parent]) => [parent, child] as const))
  const depths = depthsFrom(id, settings.direction === 'up' ? parents : children())
  const ids = [...depths.keys()]
  const { payloads: names, sets, pruned, forgotten } = await inputNames(session, ids)
  const payloadIds = ids.filter((one) => names.has(one))
  const places = new Map(payloadIds.map((one, at) => [one, at]))
  const payloads = payloadIds.map((one): Relative => {
    const from = parents.get(one) ?? []
    const madeFromSets = withoutMissing(from.map((parent) => sets.get(parent)))
    return {
      ...(names.get(one) as PayloadName),
      depth: depths.get(one) as number,
      madeFrom: withoutMissing(from.map((parent) => places.get(parent))),
      ...(madeFromSets.length > 0 && { madeFromSets }),
      ...(pruned.has(one) && { pruned: pruned.get(one) as number }),
      ...(forgotten.has(one) && { forgottenAt: forgotten.get(one) as number }),
    }
  })
  return { payloads, isWhole }
}

function withoutMissing<T>(values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined)
}

function depthsFrom(id: number, next: ReadonlyMap<number, readonly number[]>): Map<number, number> {
  const depths = new Map([[id, 0]])
  for (const [one, depth] of depths) {
    for (const other of next.get(one) ?? []) if (!depths.has(other)) depths.set(other, depth + 1)
  }
  return depths
}

/*
 * `union` on the id alone returns each payload once. With the depth in each row, a payload would have one row
 * per path length, and the number of rows would explode. PostgreSQL proceeds level by level, and stops at the
 * limit (WITH Queries, 7.8.2).
 *
 * `offset 0` makes PostgreSQL look up each payload by itself. Without it, the planner chose a join that reads
 * all edges again for each level.
 */

/** Returns a query for at most $1 reachable ids. If $2 is true, it also follows unsigned edges. */
export const reachQuery = (begin: string, from: 'child' | 'parent', to: 'child' | 'parent') => `
  with recursive found (id) as (
    select ${begin} union
    select next.id from found cross join lateral (
      select ${to} as id from alvarium.edge where ${from} = found.id and (signed or $2::boolean) offset 0
    ) as next
  ) select id from found limit $1::integer`

const queriesFrom = (begin: string) => ({
  up: reachQuery(begin, 'child', 'parent'),
  down: reachQuery(begin, 'parent', 'child'),
})

const FROM_ONE = queriesFrom('$3::bigint')
const FROM_MANY = queriesFrom('unnest($3::text::bigint[])')

/** Returns a query for edges, with the ids in an array, because a join takes twice as long. */
const edges = (where: string, implied = '$2::boolean') => `
  select distinct child, parent from alvarium.edge
  where ${where} and (signed or ${implied})
  order by child, parent`
const arrayOf = (numbers: string) => `array(select unnest(${numbers}::text::bigint[]))`
const NUMBERS = arrayOf('$1')
export const edgesOf = (numbers: string) => edges(`child = any(${arrayOf(numbers)})`, 'false')
const ALL_EDGES = { up: edges(`child = any(${NUMBERS})`), down: edges(`parent = any(${NUMBERS})`) }

/** Selects the edges between ids of one list. `+ 0` prevents an index lookup of each child with each parent. */
const EDGES = edges(`child = any(${NUMBERS}) and parent + 0 in (select unnest($1::text::bigint[]))`)
