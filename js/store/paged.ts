import { numberIn, SMALLEST } from './columns.js'
import type { Row } from './connection.js'
import type { Database, Session } from './database.js'

/** Which rows, and how many are read together. */
interface Paging {
  /** Has rows in the order of their `seq`: those behind $1, and at most $2 of them. */
  readonly statement: string
  readonly count: number
  /** From $3 on. */
  readonly params?: readonly unknown[]
}

/** Rows, some after the other, each time in a transaction of its own: others can use the store in between. */
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
 * Rows, some after the other, of what one transaction sees.
 *
 * @param statement - has rows in the order of a number: those behind $1, and at most $2 of them
 * @param column - has that number as text: an audit reads whatever `bigint` somebody has written
 * @param from - the first number
 */
export async function* pagedIn(
  session: Session,
  statement: string,
  count: number,
  column = 'seq',
  from = 0,
): AsyncGenerator<readonly Row[], void> {
  // With 0, rows with numbers below it too: an owner may have written any.
  for (let after = from === 0 ? SMALLEST : String(from - 1); ; ) {
    const rows = await session.query(statement, [after, count])
    if (rows.length > 0) yield rows
    if (rows.length < count) return
    after = String(rows.at(-1)?.[column])
  }
}
