import type { Row } from '../database/connection.js'
import type { Database, Session } from '../database/database.js'
import { MIN_BIGINT, numberIn } from './columns.js'

/** Statement and size of pages. */
interface PageQuery {
  /** SQL that returns rows in the order of their `seq`: rows behind $1, and at most $2 of them. */
  readonly statement: string
  readonly count: number
  /** Parameters from $3 on. */
  readonly params?: readonly unknown[]
}

/** Reads rows page by page, each in its own transaction: others can use the store in between. */
export async function* readPages(
  database: Database,
  { statement, count, params = [] }: PageQuery,
): AsyncGenerator<readonly Row[], void> {
  for (let after = -1; ; ) {
    const from = after
    const rows = await database.read((session) => session.query(statement, [from, count, ...params]))
    if (rows.length > 0) yield rows
    if (rows.length < count) return
    after = numberIn(rows.at(-1) as Row, 'seq')
  }
}

/**
 * Reads rows page by page in one transaction.
 *
 * @param statement - SQL that returns rows in the order of a number: rows behind $1, and at most $2 of them
 * @param column - the column with that number as text, because an owner may have written any `bigint`
 * @param from - the first number
 */
export async function* readPagesIn(
  session: Session,
  statement: string,
  count: number,
  column = 'seq',
  from = 0,
): AsyncGenerator<readonly Row[], void> {
  // With 0, include negative numbers: an owner may have written any.
  for (let after = from === 0 ? MIN_BIGINT : String(from - 1); ; ) {
    const rows = await session.query(statement, [after, count])
    if (rows.length > 0) yield rows
    if (rows.length < count) return
    after = String(rows.at(-1)?.[column])
  }
}
