import { join } from '../../foundation/base/bytes/join.js'
import type { Session } from '../database/database.js'
import type { Entry } from '../ingest/entry.js'
import { rangesOf } from '../pruning/ranges.js'
import { byteColumn } from '../rows/columns.js'
import { groupsOf } from '../rows/groups.js'
import { sha256All } from '../rows/payload-name.js'
import { classicId, writeClassicRecord } from './classic-record.js'

/** An entry and its message. */
interface EntryOfMessage {
  readonly entry: Pick<Entry, 'action'>
  readonly evidence: { readonly message: Uint8Array }
}

/**
 * Adds the messages of other SDKs to the log, behind all entries of this transaction. The head is locked.
 *
 * @param found - the new entries: those of such messages have no action
 * @param from - the place of the first of them
 * @returns how many messages there are, which is the number of their places
 */
export async function addClassicRecords(
  session: Session,
  found: readonly EntryOfMessage[],
  from: number,
): Promise<number> {
  const places = found.flatMap(({ entry, evidence }, place) =>
    entry.action === undefined ? [[evidence.message, place] as const] : [],
  )
  if (places.length === 0) return 0
  const messages = [...groupsOf(places)]
  const digests = sha256All(messages.map(([message]) => message))
  const records = messages.map(([, its], at) => {
    const seqs = its.map((place) => from + place)
    return writeClassicRecord({ isEarlier: false, digest: digests[at] as Uint8Array, ranges: rangesOf(seqs) })
  })
  await session.query(ADD, [from + found.length, ...byteColumn(records), join(records.map(classicId)).bytes])
  return records.length
}

const ADD = `
  with given as (
    select $1::bigint + row - 1 as seq, substring($2::bytea from start for length) as record,
      substring($5::bytea from 32 * (row::integer - 1) + 1 for 32) as id
    from unnest($3::text::integer[], $4::text::integer[]) with ordinality as given (start, length, row)
  ), added as (insert into alvarium.leaf (seq, id) select seq, id from given)
  insert into alvarium.classic (seq, record) select seq, record from given`
