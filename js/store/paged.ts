import { numberIn, SMALLEST } from './columns.js'
import type { Row } from './connection.js'
import type { Database, Session } from './database.js'

/** Statement and size of pages. */
interface Paging {
  /** SQL that returns rows in the order of their `seq`: rows behind $1, and at most $2 of them. */
  readonly statement: string
  readonly count: number
  /** Parameters from $3 on. */
  readonly params?: readonly unknown[]
}

/** Reads rows page by page, each in its own transaction: others can use the store in between. */
export async function* paged(
  database: Database,
  { statement, count, params = [] }: Paging,
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
export async function* pagedIn(
  session: Session,
  statement: string,
  count: number,
  column = 'seq',
  from = 0,
): AsyncGenerator<readonly Row[], void> {
  // With 0, include negative numbers: an owner may have written any.
  for (let after = from === 0 ? SMALLEST : String(from - 1); ; ) {
    const rows = await session.query(statement, [after, count])
    if (rows.length > 0) yield rows
    if (rows.length < count) return
    after = String(rows.at(-1)?.[column])
  }
}
