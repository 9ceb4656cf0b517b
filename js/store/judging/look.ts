import { keepNumbers, NUMBERS, PAYLOAD_NUMBER } from '../asked.js'
import type { Row, Statement } from '../connection.js'
import type { Found } from '../database.js'
import { ROWS_TOGETHER } from '../groups.js'
import { edgesOf, reachQuery } from '../lineage.js'
import { namesOf } from '../stored.js'
import { statementsOf } from './statements.js'

/** Range of what is read about a payload in one round trip. */
export interface LookRange {
  /** Most payloads and sets, with the payload itself. */
  readonly limit: number
  /** True if the payloads that it was made from are left out. */
  readonly isAlone: boolean
}

/** Rows about a payload and all that it was made from. */
export interface Look {
  readonly names: readonly Row[]
  readonly statements: readonly Row[]
  readonly edges: readonly Row[]
}

/** Returns the statements of a look. To look at more takes longer than a turn of the event loop may. */
export function lookStatements({ limit, isAlone }: LookRange): Statement[] {
  const [some, found] = [
    Math.min(limit, ROWS_TOGETHER),
    isAlone ? `select ${PAYLOAD_NUMBER} as id` : ANCESTORS,
  ]
  const first: Statement = [countQuery(found), [some + 1, ...(isAlone ? [] : [false])]]
  return [first, [OWN_NAMES], [OWN_STATEMENTS], ...(isAlone ? [] : [[OWN_EDGES] as const])]
}

const ANCESTORS = reachQuery(PAYLOAD_NUMBER, 'child', 'parent')
const [OWN_NAMES, OWN_STATEMENTS, OWN_EDGES] = [namesOf(NUMBERS), statementsOf(NUMBERS), edgesOf(NUMBERS)]

/** Returns a statement that keeps the numbers of a query, if it has fewer than asked for. */
function countQuery(query: string): string {
  return `
    select count < $1::integer as whole, ${keepNumbers("case when count < $1::integer then ids else '{}' end")}
    from (select count(*) as count, coalesce(array_agg(id), '{}')::text as ids from (${query}) as found) as counted`
}

/** Reads what {@link lookStatements} have found. @returns nothing if there is more than was looked at */
export function lookIn([counted, names = [], statements = [], edges = []]: Found): Look | undefined {
  return counted?.[0]?.['whole'] === true ? { names, statements, edges } : undefined
}
