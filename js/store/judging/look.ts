import { keepNumbers, NUMBERS, PAYLOAD_NUMBER } from '../asked.js'
import type { Row, Statement } from '../connection.js'
import type { Found } from '../database.js'
import { ROWS_TOGETHER } from '../groups.js'
import { edgesOf, reachQuery } from '../lineage.js'
import { namesOf } from '../stored.js'
import { statementsOf } from './statements.js'

/** Range of rows that one round trip reads about a payload. */
export interface LookRange {
  /** Maximum number of payloads and sets, including the payload itself. */
  readonly limit: number
  /** True if its ancestors are left out. */
  readonly isAlone: boolean
}

/** Rows about a payload and all its ancestors. */
export interface Look {
  readonly names: readonly Row[]
  readonly statements: readonly Row[]
  readonly edges: readonly Row[]
}

/** Returns the statements of a look. Reading more rows takes longer than a turn of the event loop may. */
export function lookStatements({ limit, isAlone }: LookRange): Statement[] {
  if (isAlone) return [['select true as whole'], [OWN_NAMES], [OWN_STATEMENTS]]
  const some = Math.min(limit, ROWS_TOGETHER)
  return [[KEEP_ANCESTORS, [some + 1, false]], [OWN_NAMES], [OWN_STATEMENTS], [OWN_EDGES]]
}

const [OWN_NAMES, OWN_STATEMENTS, OWN_EDGES] = [namesOf(NUMBERS), statementsOf(NUMBERS), edgesOf(NUMBERS)]

/** Statement that keeps the numbers of the payload and its ancestors, if they are below the limit. */
const KEEP_ANCESTORS = `
  select count < $1::integer as whole, ${keepNumbers("case when count < $1::integer then ids else '{}' end")} from (
    select count(*) as count, coalesce(array_agg(id), '{}')::text as ids
    from (${reachQuery(PAYLOAD_NUMBER, 'child', 'parent')}) as found
  ) as counted`

/** Reads the rows of {@link lookStatements}. @returns undefined if there are more rows */
export function lookIn([counted, names = [], statements = [], edges = []]: Found): Look | undefined {
  return counted?.[0]?.['whole'] === true ? { names, statements, edges } : undefined
}
