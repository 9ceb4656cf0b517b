import { isSame } from '../../base/bytes/same.js'
import { leafHash } from '../../core/hashing.js'
import { isInOrder, type RecordReader, RecordWriter, readSpelled } from '../log/record-bytes.js'
import type { Range } from './ranges.js'

// crate/FORMAT.md, Logs of stores

/** What one transaction has pruned. An entry of the log has it by its id, so that nobody can say later that it was something else. */
export interface PruningRecord {
  /** Whether it was before prunings stood in the log: then the upgrade of the store has recorded it. */
  readonly isEarlier: boolean
  /** When the call began, in milliseconds since 1970. */
  readonly at: number
  /** What was received before this went, in milliseconds since 1970. Nothing where a payload was forgotten. */
  readonly before: number | undefined
  /** How many messages went. */
  readonly messages: number
  /** Which entries of the log have no more than their ids since. In their order. What they were, their ids in the same log say. */
  readonly ranges: readonly Range[]
  /** The rows that pruned bundles referred to. Nothing in a record of before these were recorded. */
  readonly left: LeftRows | undefined
}

/** Tables whose rows stay when the last bundle that referred to them is pruned. */
export const LEFT_TABLES = ['word', 'list', 'datum'] as const

/** The numbers of rows that pruned bundles referred to, in their order. Nothing else may refer to them any more. */
export type LeftRows = Readonly<Record<(typeof LEFT_TABLES)[number], readonly Range[]>>

/** No bundle is signed as these, so no bundle has the id of a pruning. */
const [WITHOUT_LEFT, WITH_LEFT] = ['alvarium.Pruning/1\n', 'alvarium.Pruning/2\n'].map((line) =>
  new TextEncoder().encode(line),
) as [Uint8Array, Uint8Array]

/** What stands in the log for a pruning, 32 bytes: as that of a bundle is made of what was signed. */
export function pruningId(record: Uint8Array): Uint8Array {
  return leafHash(record)
}

/** Two records never give the same bytes. */
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

/** @returns nothing for what is no record, or not spelled as one is */
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
