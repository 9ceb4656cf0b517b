import type { Row } from '../database/connection.js'
import type { Database } from '../database/database.js'
import { bytesIn, givenNumber, numberIn, numbers } from '../rows/columns.js'
import { partsOf } from '../rows/groups.js'
import { readPages } from '../rows/read-pages.js'

/** A message as received. A reader that trusts the signer can verify it without the store. */
export interface ExportedMessage {
  readonly message: Uint8Array
  /** Time of receipt in milliseconds since 1970, if known. With a trust policy, pass it to `verifyMessage`. */
  readonly receivedAt?: number
}

const MESSAGES_PER_PAGE = 64
/** Message numbers per page. The number is high because each page sorts all remaining bundles of the payload. */
const NUMBERS_PER_PAGE = 50_000

/**
 * Yields each message about a payload once; without a payload, all leases and checkpoints, and then all
 * messages. Other calls can use the store between two pages.
 */
export async function* exportMessages(
  database: Database,
  datum?: number,
): AsyncGenerator<ExportedMessage, void> {
  if (datum !== undefined) return yield* messagesOf(database, datum)
  for (const table of ['beside', 'evidence'] as const) {
    for await (const rows of readPages(database, { statement: selectAll(table), count: MESSAGES_PER_PAGE })) {
      yield* rows.map(exportedOf)
    }
  }
}

async function* messagesOf(database: Database, datum: number): AsyncGenerator<ExportedMessage, void> {
  const query = { statement: SELECT_NUMBERS, count: NUMBERS_PER_PAGE, params: [datum] }
  for await (const rows of readPages(database, query)) {
    for (const part of partsOf(rows, MESSAGES_PER_PAGE)) {
      const seqs = numbers(part.map((row) => numberIn(row, 'seq')))
      yield* (await database.read((session) => session.query(SELECT_MESSAGES, [seqs]))).map(exportedOf)
    }
  }
}

function exportedOf(row: Row): ExportedMessage {
  return { message: bytesIn(row, 'message'), ...givenNumber(row, 'received', 'receivedAt') }
}

const selectAll = (table: 'beside' | 'evidence') => `
  select seq, received, message from alvarium.${table} where seq > $1::bigint order by seq limit $2::integer`

const SELECT_NUMBERS = `
  select distinct evidence as seq from alvarium.bundle where datum = $3::bigint and evidence > $1::bigint
  order by evidence limit $2::integer`

const SELECT_MESSAGES = `
  select seq, received, message from alvarium.evidence where seq = any($1::text::bigint[]) order by seq`
