import { expected } from '../../foundation/base/errors.js'
import { oneRow, type Session } from '../database/database.js'
import { numberIn } from './columns.js'

/** Checks that a table has all added rows. A trigger or a rule may have removed some unnoticed. */
export function assertCount(table: string, rowCount: number, given: number): void {
  if (rowCount === given) return
  const got = `${rowCount} of ${given} in ${table}: a trigger or a rule removes rows`
  throw expected('STORE_FAILED', 'store', 'the database to keep all rows that it was given', got)
}

/** Checks that a table has rows with these digests, of 32 bytes each, without separators. */
export async function assertStored(
  session: Session,
  column: 'beside.identity' | 'quarantine.digest',
  digests: Uint8Array,
): Promise<void> {
  const count = digests.length / 32
  const row = await oneRow(session, countBy(column), [digests, count])
  assertCount(column.split('.')[0] as string, numberIn(row, 'count'), count)
}

const countBy = (column: string) => `
  select count(*) as count from generate_series(0, $2::integer - 1) as given (place)
  where exists (
    select from alvarium.${column.split('.')[0]} where ${column} = substring($1::bytea from 32 * place + 1 for 32)
  )`
