import { toHex } from '../../foundation/base/bytes/hex.js'
import { oneRow, type Session } from '../database/database.js'
import type { Head } from '../ingest/add-entries.js'
import { numberIn } from '../rows/columns.js'
import { countIn, rangeColumns, rangesOf } from './ranges.js'
import { pruningId, writeRecord } from './record.js'
import type { RemovedRows } from './remove.js'

export interface PruningCall {
  /** Time at which the call began, in milliseconds since 1970. */
  readonly at: number
  readonly before: number | undefined
}

export interface Removal extends Pick<RemovedRows, 'seqs' | 'left'> {
  readonly messages: number
}

/** Adds the removals of one transaction to the log, whose lock the caller must hold. @returns the id of the entry */
export async function addPruning(
  session: Session,
  { leaves }: Head,
  { at, before }: PruningCall,
  { seqs, left, messages }: Removal,
): Promise<string> {
  const ranges = rangesOf(seqs)
  const record = writeRecord({ isEarlier: false, at, before, messages, ranges, left })
  const id = pruningId(record)
  await session.query('insert into alvarium.leaf (seq, id) values ($1::bigint, $2::bytea)', [leaves, id])
  const bundles = countIn(ranges)
  await session.query(ADD, [leaves, at, before, bundles, messages, record])
  await session.query(ADD_RANGES, [...rangeColumns(ranges), leaves])
  await session.query(MOVE_HEAD, [bundles])
  return toHex(id)
}

const ADD = `
  insert into alvarium.pruning (seq, at, before, bundles, messages, record)
  values ($1::bigint, $2::bigint, $3::bigint, $4::bigint, $5::bigint, $6::bytea)`
const ADD_RANGES = `
  insert into alvarium.pruned (first, last, pruning)
  select first, last, $3::bigint from unnest($1::text::bigint[], $2::text::bigint[]) as given (first, last)`
const MOVE_HEAD = 'update alvarium.head set leaves = leaves + 1, pruned = pruned + $1::bigint'

export async function prunedIn(session: Session): Promise<number> {
  return numberIn(await oneRow(session, 'select pruned from alvarium.head'), 'pruned')
}
