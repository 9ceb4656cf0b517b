import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { Row, Statement } from '../database/connection.js'
import type { Session, StatementRows } from '../database/database.js'
import { decodeHexes, optionalNumberIn } from '../rows/columns.js'
import type { DatumName } from '../rows/payload-name.js'
import { NAMING_COLUMN } from '../rows/string-table.js'

/*
 * SQL for looking up a payload. A query sends its first statements in one round trip, because ten round trips
 * took most of the query's time. The statements pass ids to each other in settings of their transaction.
 */

/** SQL expression for the id of the payload that was asked about, or null. */
export const PAYLOAD_NUMBER = "nullif(current_setting('alvarium.own'), '')::bigint"
/** SQL expression for the array of ids that {@link keepNumbers} has set, as text. Default: only the payload's id. */
export const NUMBERS = "current_setting('alvarium.numbers')"

/** Returns an SQL expression that sets {@link NUMBERS} for later statements of the transaction. */
export function keepNumbers(text: string): string {
  return `set_config('alvarium.numbers', ${text}, true)`
}

export interface PayloadLookup {
  readonly session: Session
  readonly name: PayloadName
  /** Id of the payload. Undefined if the store does not know the payload. */
  readonly id: number | undefined
  /** Columns `leaves`, `pruned` and `naming` of the table `head`, which has one row. */
  readonly head: Row
  /** Rows of the statements that were sent after {@link lookupStatements}. */
  readonly found: StatementRows
}

export function lookupStatements({ hash, digest }: DatumName): Statement[] {
  return [[SELECT_HEAD], [SELECT_NUMBER, [hash, decodeHexes([digest])]]]
}

const SELECT_HEAD = `select leaves, pruned, ${NAMING_COLUMN} from alvarium.head`
const SELECT_NUMBER = `
  select id, set_config('alvarium.own', coalesce(id::text, ''), true), ${keepNumbers("coalesce('{' || id || '}', '{}')")} from (
    select (select id from alvarium.datum where hash = $1::smallint and digest = $2::bytea) as id offset 0
  ) as found`

/** Reads the rows of {@link lookupStatements}, and returns the rows of later statements as `found`. */
export function readLookup([heads, numbers, ...found]: StatementRows): Pick<
  PayloadLookup,
  'id' | 'head' | 'found'
> {
  return { id: optionalNumberIn(numbers?.[0] as Row, 'id'), head: heads?.[0] as Row, found }
}
