import type { PayloadName } from '../../verifying/score/payload-name.js'
import type { Row, Statement } from '../database/connection.js'
import type { Session, StatementRows } from '../database/database.js'
import { decodeHexes, optionalNumberIn } from '../rows/columns.js'
import type { DatumName } from '../rows/payload-name.js'
import { NAMING_COLUMN } from '../rows/string-table.js'

/*
 * Each question about a payload sends its first statements together: one round trip instead of ten, which took most of its time. The statements
 * pass numbers on to each other in settings of their transaction.
 */

/** Number of the payload in question, or null. */
export const PAYLOAD_NUMBER = "nullif(current_setting('alvarium.own'), '')::bigint"
/** Numbers for `unnest(…::text::bigint[])`: the payload alone, until {@link keepNumbers} puts others there. */
export const NUMBERS = "current_setting('alvarium.numbers')"

/** Returns an expression that keeps the numbers of a text for the statements that follow. */
export function keepNumbers(text: string): string {
  return `set_config('alvarium.numbers', ${text}, true)`
}

export interface PayloadLookup {
  readonly session: Session
  readonly name: PayloadName
  /** Number of the payload; missing if no bundle names it. */
  readonly id: number | undefined
  /** The row of `head`: `leaves`, `pruned`, `naming`. */
  readonly head: Row
  /** The rows of the statements behind {@link lookupStatements}. */
  readonly found: StatementRows
}

/** Returns the first statements of each question about a payload. */
export function lookupStatements({ hash, digest }: DatumName): Statement[] {
  return [[SELECT_HEAD], [SELECT_NUMBER, [hash, decodeHexes([digest])]]]
}

const SELECT_HEAD = `select leaves, pruned, ${NAMING_COLUMN} from alvarium.head`
const SELECT_NUMBER = `
  select id, set_config('alvarium.own', coalesce(id::text, ''), true), ${keepNumbers("coalesce('{' || id || '}', '{}')")} from (
    select (select id from alvarium.datum where hash = $1::smallint and digest = $2::bytea) as id offset 0
  ) as found`

/** Reads the rows that {@link lookupStatements} have found, and those of the statements behind them. */
export function readLookup([heads, numbers, ...found]: StatementRows): Pick<
  PayloadLookup,
  'id' | 'head' | 'found'
> {
  return { id: optionalNumberIn(numbers?.[0] as Row, 'id'), head: heads?.[0] as Row, found }
}
