import { bytesIn, numberIfAny } from './columns.js'
import type { Database } from './database.js'
import { paged } from './paged.js'

/** A message as it was received: whoever trusts its signer can verify it without the store. */
export interface ExportedMessage {
  readonly message: Uint8Array
  /** When it was received, in milliseconds since 1970, if that is known: give it to `verifyMessage` with a trust policy. */
  readonly receivedAt?: number
}

/** So many at a time. */
const TOGETHER = 64

/**
 * The messages of a payload, each once; of all payloads if none is given, and before them the leases and checkpoints, by which the others
 * may have to be verified. Others can use the store in between.
 */
export async function* exported(database: Database, datum?: number): AsyncGenerator<ExportedMessage, void> {
  if (datum !== undefined) yield* messagesIn(database, OF_DATUM, [datum])
  else for (const table of ['beside', 'evidence'] as const) yield* messagesIn(database, allOf(table))
}

async function* messagesIn(
  database: Database,
  statement: string,
  params: readonly number[] = [],
): AsyncGenerator<ExportedMessage, void> {
  for await (const rows of paged(database, { statement, count: TOGETHER, params })) {
    for (const row of rows) {
      const receivedAt = numberIfAny(row, 'received')
      yield { message: bytesIn(row, 'message'), ...(receivedAt !== undefined && { receivedAt }) }
    }
  }
}

const allOf = (table: 'beside' | 'evidence') => `
  select seq, received, message from alvarium.${table} where seq > $1::bigint order by seq limit $2::integer`

const OF_DATUM = `
  select seq, received, message from alvarium.evidence
  where seq in (
    select distinct evidence from alvarium.bundle where datum = $3::bigint and evidence > $1::bigint
    order by evidence limit $2::integer
  ) order by seq`
