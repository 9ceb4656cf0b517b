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
  if (isAlone) return [['select true as whole'], [OWN_NAMES], [OWN_STATEMENTS]]
  const some = Math.min(limit, ROWS_TOGETHER)
  return [[KEEP_ANCESTORS, [some + 1, false]], [OWN_NAMES], [OWN_STATEMENTS], [OWN_EDGES]]
}

const [OWN_NAMES, OWN_STATEMENTS, OWN_EDGES] = [namesOf(NUMBERS), statementsOf(NUMBERS), edgesOf(NUMBERS)]

/** Keeps the numbers of the payload and its ancestors, if they are fewer than asked for. */
const KEEP_ANCESTORS = `
  select count < $1::integer as whole, ${keepNumbers("case when count < $1::integer then ids else '{}' end")} from (
    select count(*) as count, coalesce(array_agg(id), '{}')::text as ids
    from (${reachQuery(PAYLOAD_NUMBER, 'child', 'parent')}) as found
  ) as counted`

/** Reads what {@link lookStatements} have found. @returns nothing if there is more than was looked at */
export function lookIn([counted, names = [], statements = [], edges = []]: Found): Look | undefined {
  return counted?.[0]?.['whole'] === true ? { names, statements, edges } : undefined
}
