import { isSame } from '../../foundation/base/bytes/same.js'
import { leafHash } from '../../foundation/core/hashing.js'
import { isInOrder, type RecordReader, RecordWriter, readSpelled } from '../log/record-bytes.js'
import type { Range } from './ranges.js'

// Encoding: crate/FORMAT.md, section "Logs of stores".

/** Record of one transaction's removals. Its id is in the log, so that nobody can later claim other removals. */
export interface PruningRecord {
  /** True if the bundles were pruned before the log had prunings. An upgrade then recorded this pruning. */
  readonly isEarlier: boolean
  /** Time at which the call began, in milliseconds since 1970. */
  readonly at: number
  /** Time before which the bundles were received, in milliseconds since 1970. Undefined for forgotten payloads. */
  readonly before: number | undefined
  /** Number of removed messages. */
  readonly messages: number
  /** Ranges of the pruned log entries, ascending. The log keeps the ids, which commit to the content of the entries. */
  readonly ranges: readonly Range[]
  /** Rows to which the pruned bundles referred, and which stayed. Undefined in records of earlier schemas. */
  readonly left: LeftRows | undefined
}

/** Tables with rows that stay when the last bundle that refers to them is pruned. */
export const LEFT_TABLES = ['word', 'list', 'datum'] as const

/** Ids of rows that pruned bundles referred to, ascending. These rows may now be unreferenced. */
export type LeftRows = Readonly<Record<(typeof LEFT_TABLES)[number], readonly Range[]>>

/** First lines of a record's versions. Signed bytes of bundles begin differently, so no record has a bundle's id. */
const [WITHOUT_LEFT, WITH_LEFT] = ['alvarium.Pruning/1\n', 'alvarium.Pruning/2\n'].map((line) =>
  new TextEncoder().encode(line),
) as [Uint8Array, Uint8Array]

/** Computes the id of a pruning in the log, 32 bytes, by the same hash as for the signed bytes of a bundle. */
export function pruningId(record: Uint8Array): Uint8Array {
  return leafHash(record)
}

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

/** @returns undefined for bytes that are not a record, or not in the only valid encoding */
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
