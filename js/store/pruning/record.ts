import { isSame } from '../../foundation/base/bytes/same.js'
import { leafHash } from '../../foundation/core/hashing.js'
import { isInOrder, type RecordReader, RecordWriter, readSpelled } from '../log/record-bytes.js'
import type { Range } from './ranges.js'

// crate/FORMAT.md, Logs of stores

/** Record of one transaction's removals. An entry of the log has its id, so that nobody can later claim other removals. */
export interface PruningRecord {
  /** True if it was before the log had prunings: the upgrade of the store has recorded it. */
  readonly isEarlier: boolean
  /** Time at which the call began, in milliseconds since 1970. */
  readonly at: number
  /** Time before which the removed bundles were received, in milliseconds since 1970. Undefined if a payload was forgotten. */
  readonly before: number | undefined
  /** Number of removed messages. */
  readonly messages: number
  /** Ranges of the pruned entries of the log, in order. Their ids in the same log show their contents. */
  readonly ranges: readonly Range[]
  /** Rows that pruned bundles referred to. Undefined in an earlier record. */
  readonly left: LeftRows | undefined
}

/** Tables whose rows stay when the last bundle that referred to them is pruned. */
export const LEFT_TABLES = ['word', 'list', 'datum'] as const

/** Numbers of rows that pruned bundles referred to, in order. They may be without references. */
export type LeftRows = Readonly<Record<(typeof LEFT_TABLES)[number], readonly Range[]>>

/** First lines of the records. No signed bytes of a bundle begin with them, so no bundle has the id of a pruning. */
const [WITHOUT_LEFT, WITH_LEFT] = ['alvarium.Pruning/1\n', 'alvarium.Pruning/2\n'].map((line) =>
  new TextEncoder().encode(line),
) as [Uint8Array, Uint8Array]

/** Computes the log's entry for a pruning, 32 bytes, in the same way as for the signed bytes of a bundle. */
export function pruningId(record: Uint8Array): Uint8Array {
  return leafHash(record)
}

/** Encodes a record. Two records never give the same bytes. */
export function writeRecord({ isEarlier, at, before, messages, ranges, left }: PruningRecord): Uint8Array {
  const writer = new RecordWriter(left ? WITH_LEFT : WITHOUT_LEFT)
  writer.flag(isEarlier)
  writer.number(at)
  writer.flag(before !== undefined)
  if (before !== undefined) writer.number(before)
  writer.number(messages)
  writer.ranges(ranges)
  if (left) for (const table of LEFT_TABLES) writer.ranges(left[table])
  return writer.record
}

/** @returns undefined for bytes that are no record, or are spelled in another way */
export function readRecord(bytes: Uint8Array): PruningRecord | undefined {
  const record = readSpelled(bytes, readFields, writeRecord)
  const all = record && [record.ranges, ...Object.values(record.left ?? {})]
  return all?.every(isInOrder) ? record : undefined
}

function readFields(reader: RecordReader): PruningRecord {
  const hasLeft = isSame(reader.bytes(WITH_LEFT.length), WITH_LEFT)
  const isEarlier = reader.flag()
  const at = reader.number()
  const before = reader.flag() ? reader.number() : undefined
  const [messages, ranges] = [reader.number(), reader.ranges()]
  if (!hasLeft) return { isEarlier, at, before, messages, ranges, left: undefined }
  const left = { word: reader.ranges(), list: reader.ranges(), datum: reader.ranges() }
  return { isEarlier, at, before, messages, ranges, left }
}
