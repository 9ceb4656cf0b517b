import type { Row } from '../database/connection.js'
import type { Database, Session } from '../database/database.js'
import { MIN_BIGINT } from './columns.js'

interface PageQuery {
  /** SQL that returns at most $2 rows with `seq` above $1, ordered by `seq`. */
  readonly statement: string
  readonly count: number
  /** Parameters of the query from $3 on. */
  readonly params?: readonly unknown[]
}

/** Reads rows page by page. Each page is a transaction, so other calls can use the store between two pages. */
export function readPages(
  database: Database,
  { statement, count, params = [] }: PageQuery,
): AsyncGenerator<readonly Row[], void> {
  const read = (after: string) =>
    database.read((session) => session.query(statement, [after, count, ...params]))
  return pagesOf(read, count, 'seq', '-1')
}

/**
 * Reads rows page by page in one transaction.
 *
 * @param statement - SQL that returns at most $2 rows with a number above $1, ordered by that number
 * @param column - the column with the number, as text because an owner may have written any `bigint`
 * @param from - the smallest number to read
 */
export function readPagesIn(
  session: Session,
  statement: string,
  count: number,
  column = 'seq',
  from = 0,
): AsyncGenerator<readonly Row[], void> {
  // With `from` 0, include negative numbers, because an owner may have written some.
  const begin = from === 0 ? MIN_BIGINT : String(from - 1)
  return pagesOf((after) => session.query(statement, [after, count]), count, column, begin)
}

async function* pagesOf(
  read: (after: string) => Promise<readonly Row[]>,
  count: number,
  column: string,
  begin: string,
): AsyncGenerator<readonly Row[], void> {
  for (let after = begin; ; ) {
    const rows = await read(after)
    if (rows.length > 0) yield rows
    if (rows.length < count) return
    after = String(rows.at(-1)?.[column])
  }
}
