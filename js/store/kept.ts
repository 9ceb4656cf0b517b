import { type AlvariumError, expected } from '../base/errors.js'
import { numberIn } from './columns.js'
import { oneRow, type Session } from './database.js'

/** Returns the error for rows that a trigger or a rule of the owner has taken away, which PostgreSQL does not report. */
export function rowsTaken(): AlvariumError {
  const got = 'fewer: a trigger or a rule takes some away'
  return expected('STORE_FAILED', 'store', 'the database to keep all rows that it was given', got)
}

/**
 * Checks that rows are there by their digests.
 *
 * @param digests - of 32 bytes each, one behind the other
 * @throws AlvariumError `STORE_FAILED`
 */
export async function assertKept(
  session: Session,
  column: 'beside.identity' | 'quarantine.digest',
  digests: Uint8Array,
): Promise<void> {
  const count = digests.length / 32
  const row = await oneRow(session, foundBy(column), [digests, count])
  if (numberIn(row, 'count') !== count) throw rowsTaken()
}

const foundBy = (column: string) => `
  select count(*) as count from generate_series(0, $2::integer - 1) as given (place)
  where exists (
    select from alvarium.${column.split('.')[0]} where ${column} = substring($1::bytea from 32 * place + 1 for 32)
  )`
