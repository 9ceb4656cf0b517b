import * as v from 'valibot'
import { integer, oneOf, readOptions, strict } from '../base/options/schema.js'
import type { PayloadName } from '../judge/judge.js'
import { numberIn, numbers } from './columns.js'
import type { Row } from './connection.js'
import type { Session } from './database.js'
import { groupsOf } from './groups.js'
import { inputNames } from './stored.js'

/** Options of a lineage: its direction and its depth. */
export interface LineageOptions {
  /** `'up'`: what the payload was made from, and so on. `'down'`: what was made from it, which a recall concerns. Default `'up'`. */
  readonly direction?: 'up' | 'down' | undefined
  /** Most payloads and sets beside the payload itself; the nearest come first. Default `1_000`. */
  readonly limit?: number | undefined
  /**
   * Whether to follow what a `mutate` of another SDK implies. Nobody has signed it: whoever passes the message on can change
   * it. Default `false`.
   */
  readonly implied?: boolean | undefined
}

/** The page of limits shows it. */
export const schema = strict({
  direction: v.optional(oneOf(['up', 'down']), 'up'),
  limit: integer(1, 100_000, 1_000),
  implied: v.optional(v.boolean('true or false'), false),
})

/** A payload of a lineage. */
export interface Relative extends PayloadName {
  /** How many mutates away it is at least. 0 is the payload that was asked about. */
  readonly depth: number
  /** Which payloads of this lineage it was made from, by their places in it. */
  readonly madeFrom: readonly number[]
  /** The ids of the sealed sets that it was made from, if `direction` is `'up'`. Nothing is known here of the payloads in them. */
  readonly madeFromSets?: readonly string[]
  /** How many bundles about it were pruned, if any: they might have said what else it was made from. */
  readonly pruned?: number
  /** Time at which `forget` last removed one of them, in milliseconds since 1970: it had named a payload that was forgotten. */
  readonly forgottenAt?: number
}

/** What a payload was made from, or what was made from it. */
export interface Lineage {
  /** The payload that was asked about comes first, then the nearest. Each comes once, even if two were made from each other. */
  readonly payloads: readonly Relative[]
  /** Whether these are all; `false` if `limit` has left some out. */
  readonly isWhole: boolean
}

export type LineageSettings = v.InferOutput<typeof schema>

/** @throws AlvariumError `CONFIG_INVALID` */
export function readLineageOptions(options: LineageOptions = {}): LineageSettings {
  return readOptions(schema, options, 'lineage')
}

/** Of a payload that nobody has spoken of. */
export function aloneIn(name: PayloadName): Lineage {
  return { payloads: [{ ...name, depth: 0, madeFrom: [] }], isWhole: true }
}

/** Payloads and sets that are reached along edges, and the edges between them. */
export interface Edges {
  /** The numbers of the payloads and sets, with those at the start. */
  readonly ids: readonly number[]
  readonly isWhole: boolean
  readonly pairs: readonly (readonly [child: number, parent: number])[]
  readonly parents: ReadonlyMap<number, readonly number[]>
}

/** Follows the edges from some payloads. @param settings - `limit` is in payloads and sets besides these */
export async function edgesFrom(
  session: Session,
  from: readonly number[],
  { direction, limit, implied }: LineageSettings,
): Promise<Edges> {
  const most = limit + from.length
  const statement = from.length === 1 ? FROM_ONE[direction] : FROM_MANY[direction]
  const rows = await session.query(statement, [
    most + 1,
    implied,
    from.length === 1 ? from[0] : numbers(from),
  ])
  const all = rows.map((row) => numberIn(row, 'id'))
  const isWhole = all.length <= most
  const ids = all.slice(0, most)
  const edges = await session.query(isWhole ? ALL_EDGES[direction] : EDGES, [numbers(ids), implied])
  const pairs = pairsIn(edges)
  return { ids, isWhole, pairs, parents: groupsOf(pairs) }
}

/** Reads the edges in rows. */
export function pairsIn(rows: readonly Row[]): Edges['pairs'] {
  return rows.map((row) => [numberIn(row, 'child'), numberIn(row, 'parent')])
}

/** The lineage of a payload that somebody has spoken of. */
export async function lineageOf(session: Session, id: number, settings: LineageSettings): Promise<Lineage> {
  const { isWhole, pairs, parents } = await edgesFrom(session, [id], settings)
  const children = () => groupsOf(pairs.map(([child, parent]) => [parent, child] as const))
  const depths = depthsFrom(id, settings.direction === 'up' ? parents : children())
  const ids = [...depths.keys()]
  const { payloads: names, sets, pruned, forgotten } = await inputNames(session, ids)
  const own = ids.filter((one) => names.has(one))
  const places = new Map(own.map((one, at) => [one, at]))
  const payloads = own.map((one): Relative => {
    const from = parents.get(one) ?? []
    const madeFromSets = present(from.map((parent) => sets.get(parent)))
    return {
      ...(names.get(one) as PayloadName),
      depth: depths.get(one) as number,
      madeFrom: present(from.map((parent) => places.get(parent))),
      ...(madeFromSets.length > 0 && { madeFromSets }),
      ...(pruned.has(one) && { pruned: pruned.get(one) as number }),
      ...(forgotten.has(one) && { forgottenAt: forgotten.get(one) as number }),
    }
  })
  return { payloads, isWhole }
}

function present<T>(values: readonly (T | undefined)[]): T[] {
  return values.filter((value) => value !== undefined)
}

/** By levels: a payload is as far away as the shortest way to it. */
function depthsFrom(id: number, next: ReadonlyMap<number, readonly number[]>): Map<number, number> {
  const depths = new Map([[id, 0]])
  // It grows as it is gone through.
  for (const [one, depth] of depths) {
    for (const other of next.get(one) ?? []) if (!depths.has(other)) depths.set(other, depth + 1)
  }
  return depths
}

/*
 * `union` on the number alone has each payload once: with its depth beside it, a payload would come again by each way of another length, and
 * ways multiply. PostgreSQL goes on level by level, and no further than the limit needs (WITH Queries, 7.8.2.1).
 * `offset 0` has each payload looked up by itself: the planner took a join that reads all edges again for each level.
 */

/** Returns a query for at most $1 numbers that are reachQuery from some on. With $2, along edges that nobody has signed, too. */
export const reachQuery = (begin: string, from: 'child' | 'parent', to: 'child' | 'parent') => `
  with recursive found (id) as (
    select ${begin} union
    select next.id from found cross join lateral (
      select ${to} as id from alvarium.edge where ${from} = found.id and (signed or $2::boolean) offset 0
    ) as next
  ) select id from found limit $1::integer`

const both = (begin: string) => ({
  up: reachQuery(begin, 'child', 'parent'),
  down: reachQuery(begin, 'parent', 'child'),
})

const FROM_ONE = both('$3::bigint')
const FROM_MANY = both('unnest($3::text::bigint[])')

/**
 * The list in an array: the index is read for all of it in one go, in half the time of a join. What has all its parents here, or all its
 * children, has no others.
 */
const edges = (where: string, implied = '$2::boolean') => `
  select distinct child, parent from alvarium.edge
  where ${where} and (signed or ${implied})
  order by child, parent`
const arrayOf = (numbers: string) => `array(select unnest(${numbers}::text::bigint[]))`
const NUMBERS = arrayOf('$1')
/** Returns a query for what payloads of some numbers were made from, as signers say. */
export const edgesOf = (numbers: string) => edges(`child = any(${arrayOf(numbers)})`, 'false')
const ALL_EDGES = { up: edges(`child = any(${NUMBERS})`), down: edges(`parent = any(${NUMBERS})`) }

/** `+ 0` keeps the index from the second list: PostgreSQL would look for each child with each parent. */
const EDGES = edges(`child = any(${NUMBERS}) and parent + 0 in (select unnest($1::text::bigint[]))`)
