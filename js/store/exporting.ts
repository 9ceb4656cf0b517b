import { bytesIn, numberIfAny, numberIn, numbers } from './columns.js'
import type { Row } from './connection.js'
import type { Database } from './database.js'
import { paged } from './paged.js'

/** A message as it was received. A reader that trusts its signer can verify it without the store. */
export interface ExportedMessage {
  readonly message: Uint8Array
  /** Time of receipt in milliseconds since 1970, if known: give it to `verifyMessage` with a trust policy. */
  readonly receivedAt?: number
}

/** Messages of a page. */
const TOGETHER = 64
/** Message numbers of a page: for each page, all remaining bundles of the payload are sorted. */
const FOUND = 50_000

/**
 * Returns the messages of a payload, each once. Without a payload, returns all messages, and before them the leases and checkpoints that may be
 * needed to verify them. Others can use the store in between.
 */
export async function* exported(database: Database, datum?: number): AsyncGenerator<ExportedMessage, void> {
  if (datum !== undefined) {
    yield* messagesOf(database, datum)
    return
  }
  for (const table of ['beside', 'evidence'] as const) {
    for await (const rows of paged(database, { statement: allOf(table), count: TOGETHER })) {
      yield* rows.map(exportedOf)
    }
  }
}

async function* messagesOf(database: Database, datum: number): AsyncGenerator<ExportedMessage, void> {
  for await (const rows of paged(database, { statement: FIND, count: FOUND, params: [datum] })) {
    const found = rows.map((row) => numberIn(row, 'seq'))
    for (let from = 0; from < found.length; from += TOGETHER) {
      const some = numbers(found.slice(from, from + TOGETHER))
      yield* (await database.read((session) => session.query(SOME, [some]))).map(exportedOf)
    }
  }
}

function exportedOf(row: Row): ExportedMessage {
  const receivedAt = numberIfAny(row, 'received')
  return { message: bytesIn(row, 'message'), ...(receivedAt !== undefined && { receivedAt }) }
}

const allOf = (table: 'beside' | 'evidence') => `
  select seq, received, message from alvarium.${table} where seq > $1::bigint order by seq limit $2::integer`

const FIND = `
  select distinct evidence as seq from alvarium.bundle where datum = $3::bigint and evidence > $1::bigint
  order by evidence limit $2::integer`

const SOME = `
  select seq, received, message from alvarium.evidence where seq = any($1::text::bigint[]) order by seq`
