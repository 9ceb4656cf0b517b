import { join } from '../../foundation/base/bytes/join.js'
import { MaxCount } from '../../foundation/core/core.js'
import { leafHash } from '../../foundation/core/hashing.js'
import { HASH_BYTES } from '../../foundation/core/tree.js'
import type { Session } from '../database/database.js'
import type { Entry } from '../ingest/entry.js'
import { countIn, type Range, rangesOf } from '../pruning/ranges.js'
import { byteColumn } from '../rows/columns.js'
import { groupsOf } from '../rows/groups.js'
import { sha256All } from '../rows/payload-name.js'
import { isInOrder, RecordWriter, readSpelled } from './record-bytes.js'

interface EntryOfMessage {
  readonly entry: Pick<Entry, 'action'>
  readonly evidence: { readonly message: Uint8Array }
}

/**
 * Adds the messages of other SDKs to the log, after the new entries `found`, which begin at position `from`.
 * The caller must hold the lock on `alvarium.head`. @returns the number of added messages
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
  const records = messages.map(([, entryPlaces], at) => {
    const seqs = entryPlaces.map((place) => from + place)
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

// Encoding: crate/FORMAT.md, section "Logs of stores".

/**
 * Record of a message of another SDK. The record's id is an entry of the log. The annotations are signed one
 * by one, but their order and the action are only in the message. With the log entry, the owner of the
 * database cannot rewrite the order or the action unnoticed.
 */
export interface ClassicRecord {
  /** True if the message was stored before logs had entries of this kind. An upgrade then recorded the message. */
  readonly isEarlier: boolean
  /** SHA-256 of the message as it was received. */
  readonly digest: Uint8Array
  /** Positions of the message's new annotations in the log, in ascending order. */
  readonly ranges: readonly Range[]
}

/** First line of the record. Signed bytes of bundles begin differently, so a record never has a bundle's id. */
const FIRST = new TextEncoder().encode('alvarium.ClassicMessage/1\n')

export function classicId(record: Uint8Array): Uint8Array {
  return leafHash(record)
}

export function writeClassicRecord({ isEarlier, digest, ranges }: ClassicRecord): Uint8Array {
  const writer = new RecordWriter(FIRST)
  writer.flag(isEarlier)
  writer.bytes(digest)
  writer.ranges(ranges)
  return writer.record
}

/** @returns undefined for bytes that are not a record, or not in the only valid encoding */
export function readClassicRecord(bytes: Uint8Array): ClassicRecord | undefined {
  const record = readSpelled(
    bytes,
    (reader): ClassicRecord => {
      reader.bytes(FIRST.length)
      return { isEarlier: reader.flag(), digest: reader.bytes(HASH_BYTES), ranges: reader.ranges() }
    },
    writeClassicRecord,
  )
  return record && isInOrder(record.ranges) && isOfOneMessage(record.ranges) ? record : undefined
}

function isOfOneMessage(ranges: readonly Range[]): boolean {
  const count = countIn(ranges)
  return count > 0 && count <= MaxCount.Annotations
}
