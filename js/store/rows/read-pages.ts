import type { Row } from '../database/connection.js'
import type { Database, Session } from '../database/database.js'
import { MIN_BIGINT, numberIn } from './columns.js'

interface PageQuery {
  /** SQL that returns at most $2 rows with `seq` above $1, ordered by `seq`. */
  readonly statement: string
  readonly count: number
  /** Parameters of the query from $3 on. */
  readonly params?: readonly unknown[]
}

/** Reads rows page by page. Each page is a transaction, so other calls can use the store between two pages. */
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
 * @param statement - SQL that returns at most $2 rows with a number above $1, ordered by that number
 * @param column - the column with the number, as text because an owner may have written any `bigint`
 * @param from - the smallest number to read
 */
export async function* readPagesIn(
  session: Session,
  statement: string,
  count: number,
  column = 'seq',
  from = 0,
): AsyncGenerator<readonly Row[], void> {
  // With `from` 0, include negative numbers, because an owner may have written some.
  for (let after = from === 0 ? MIN_BIGINT : String(from - 1); ; ) {
    const rows = await session.query(statement, [after, count])
    if (rows.length > 0) yield rows
    if (rows.length < count) return
    after = String(rows.at(-1)?.[column])
  }
}
