import { numberIn } from './columns.js'
import type { Row } from './connection.js'
import type { Database } from './database.js'

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
