import type { Row, Statement } from '../database/connection.js'
import type { StatementRows } from '../database/database.js'
import { edgesOf, reachQuery } from '../questions/lineage.js'
import { keepNumbers, NUMBERS, PAYLOAD_NUMBER } from '../questions/payload-lookup.js'
import { namesOf } from '../questions/stored-bundle.js'
import { MAX_ROWS } from '../rows/groups.js'
import { statementsOf } from './statements.js'

/** Range of rows that one round trip reads about a payload. */
export interface FirstRange {
  /** Maximum number of payloads and sets, including the payload itself. */
  readonly limit: number
  /** True if its ancestors are left out. */
  readonly isAlone: boolean
}

/** Rows about a payload and all its ancestors. */
export interface FirstRows {
  readonly names: readonly Row[]
  readonly statements: readonly Row[]
  readonly edges: readonly Row[]
}

/** Returns the statements of a look. Reading more rows takes longer than a turn of the event loop may. */
export function firstStatements({ limit, isAlone }: FirstRange): Statement[] {
  if (isAlone) return [['select true as whole'], [OWN_NAMES], [OWN_STATEMENTS]]
  const some = Math.min(limit, MAX_ROWS)
  return [[KEEP_ANCESTORS, [some + 1, false]], [OWN_NAMES], [OWN_STATEMENTS], [OWN_EDGES]]
}

const [OWN_NAMES, OWN_STATEMENTS, OWN_EDGES] = [namesOf(NUMBERS), statementsOf(NUMBERS), edgesOf(NUMBERS)]

/** Statement that keeps the numbers of the payload and its ancestors, if they are below the limit. */
const KEEP_ANCESTORS = `
  select count < $1::integer as whole, ${keepNumbers("case when count < $1::integer then ids else '{}' end")} from (
    select count(*) as count, coalesce(array_agg(id), '{}')::text as ids
    from (${reachQuery(PAYLOAD_NUMBER, 'child', 'parent')}) as found
  ) as counted`

/** Reads the rows of {@link firstStatements}. @returns undefined if there are more rows */
export function readFirstRows([counted, names = [], statements = [], edges = []]: StatementRows):
  | FirstRows
  | undefined {
  return counted?.[0]?.['whole'] === true ? { names, statements, edges } : undefined
}
