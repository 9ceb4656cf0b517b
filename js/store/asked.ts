import type { PayloadName } from '../verifying/score/payload-name.js'
import { fromHexes, numberIfAny } from './columns.js'
import type { Row, Statement } from './connection.js'
import type { Found, Session } from './database.js'
import { NAMING } from './lexicon.js'
import type { DatumName } from './payload-name.js'

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

export interface AskedPayload {
  readonly session: Session
  readonly name: PayloadName
  /** Number of the payload; missing if no bundle names it. */
  readonly id: number | undefined
  /** The row of `head`: `leaves`, `pruned`, `naming`. */
  readonly head: Row
  /** The rows of the statements behind {@link firstStatements}. */
  readonly found: Found
}

/** Returns the first statements of each question about a payload. */
export function firstStatements({ hash, digest }: DatumName): Statement[] {
  return [[HEAD], [NUMBER, [hash, fromHexes([digest])]]]
}

const HEAD = `select leaves, pruned, ${NAMING} from alvarium.head`
const NUMBER = `
  select id, set_config('alvarium.own', coalesce(id::text, ''), true), ${keepNumbers("coalesce('{' || id || '}', '{}')")} from (
    select (select id from alvarium.datum where hash = $1::smallint and digest = $2::bytea) as id offset 0
  ) as found`

/** Reads the rows that {@link firstStatements} have found, and those of the statements behind them. */
export function askedIn([heads, numbers, ...found]: Found): Pick<AskedPayload, 'id' | 'head' | 'found'> {
  return { id: numberIfAny(numbers?.[0] as Row, 'id'), head: heads?.[0] as Row, found }
}
