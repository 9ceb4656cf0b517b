import { MaxCount } from '../../foundation/core/core.js'
import { leafHash } from '../../foundation/core/hashing.js'
import { HASH_BYTES } from '../../foundation/core/tree.js'
import { countIn, type Range } from '../pruning/ranges.js'
import { isInOrder, RecordWriter, readSpelled } from './record-bytes.js'

// crate/FORMAT.md, Logs of stores

/**
 * A message of another SDK, whose record's id is an entry of the log. Its annotations are signed one by one; only the message has their order,
 * and the action. The entry keeps the owner of the database from rewriting it.
 */
export interface ClassicRecord {
  /** True if the message was stored before such messages were entries of the log, and recorded when the store was upgraded. */
  readonly isEarlier: boolean
  /** SHA-256 of the message as it was received. */
  readonly digest: Uint8Array
  /** Places of its new annotations, in order. */
  readonly ranges: readonly Range[]
}

/** First line of the record. No signed bytes of a bundle begin with it, so no bundle has the id of such a message. */
const FIRST = new TextEncoder().encode('alvarium.ClassicMessage/1\n')

/** Computes the message's entry in the log, 32 bytes. */
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

/** @returns undefined for bytes that are no record, or are spelled in another way */
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
