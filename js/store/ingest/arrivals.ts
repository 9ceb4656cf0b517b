import * as v from 'valibot'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { receivedMs } from '../../signing/keys/trust-policy.js'
import { oneRow, type Session } from '../database/database.js'
import { type Range, unionOf } from '../pruning/ranges.js'
import { assertCount } from '../rows/assert-stored.js'
import { numberIn } from '../rows/columns.js'

/*
 * Index of times of receipt, by blocks of log entries. The table `arrival` has the earliest and latest time
 * of each full block. Messages are stored nearly in the order of receipt, so few blocks can have messages of
 * a given time. The table is small. An index of bundles by time would need a tenth as much space as the
 * bundles.
 */

/** Log entries per block of the index of receipt times. Reading a block takes about two milliseconds. */
export const BLOCK = 1_024
/**
 * Maximum number of matching blocks that a search looks up. After the last of them, the search reads all
 * entries.
 */
const MAX_BLOCKS = 1_000
/** Limit of ranges per statement. If there are more, the last range extends to the end of the log. */
const MAX_RANGES = 16
const LAST_ENTRY = Number.MAX_SAFE_INTEGER

/** Span of time. `from` is inclusive, `until` exclusive. */
export interface TimeSpan {
  readonly from?: Date | number | undefined
  readonly until?: Date | number | undefined
}

const spanMembers = strict({ from: v.optional(v.any()), until: v.optional(v.any()) })

export const spanSchema = v.optional(spanMembers)

/** Span of receipt times, as text of milliseconds since 1970; or `unknown` for bundles without a receipt time. */
export type ReceiptSpan =
  | { readonly receipt: 'known'; readonly from: string; readonly until: string }
  | { readonly receipt: 'unknown' }

export function readReceiptSpan(given: TimeSpan | 'unknown' | undefined): ReceiptSpan | undefined {
  if (given === 'unknown') return { receipt: given }
  const span = given && readOptions(spanMembers, given, 'filter.received')
  const [from, until] = [
    receivedMs(span?.from, 'filter.received'),
    receivedMs(span?.until, 'filter.received'),
  ]
  if (from === undefined && until === undefined) return undefined
  return {
    receipt: 'known',
    from: from === undefined ? EARLIEST : roundUp(from),
    until: until === undefined ? LATEST : roundUp(until),
  }
}

function roundUp(ms: number): string {
  return `${BigInt(Math.ceil(ms))}`
}

const [EARLIEST, LATEST] = ['-9223372036854775808', '9223372036854775807']

/** Returns the ranges of the log after the entry `after` that can have messages received in a time span. */
export async function rangesOfTime(session: Session, span: ReceiptSpan, after: number): Promise<Range[]> {
  const begin = after + 1
  const given = [Math.floor(begin / BLOCK), MAX_BLOCKS]
  const rows =
    span.receipt === 'unknown'
      ? await session.query(SELECT_UNKNOWN_BLOCKS, given)
      : await session.query(SELECT_BLOCKS, [...given, span.from, span.until])
  const end = numberIn(await oneRow(session, SELECT_NEXT_BLOCK), 'next')
  const blocks = rows.map((row) => numberIn(row, 'block'))
  const rest = rows.length === MAX_BLOCKS ? (blocks.at(-1) as number) + 1 : end
  const found = blocks.map((block): Range => [block * BLOCK, (block + 1) * BLOCK - 1])
  const ranges = unionOf([...found, [rest * BLOCK, LAST_ENTRY]])
  const firstRanges = ranges.slice(0, MAX_RANGES)
  if (ranges.length > MAX_RANGES)
    firstRanges[MAX_RANGES - 1] = [(firstRanges[MAX_RANGES - 1] as Range)[0], LAST_ENTRY]
  return firstRanges.flatMap(([first, last]): Range[] =>
    last < begin ? [] : [[Math.max(first, begin), last]],
  )
}

const SELECT_BLOCKS = `
  select block from alvarium.arrival
  where block >= $1::bigint and latest >= $3::text::bigint and earliest < $4::text::bigint order by block limit $2::integer`
const SELECT_UNKNOWN_BLOCKS = `
  select block from alvarium.arrival where block >= $1::bigint and unknown > 0 order by block limit $2::integer`
const SELECT_NEXT_BLOCK = 'select coalesce(max(block) + 1, 0) as next from alvarium.arrival'

/** Adds rows for blocks that are now full, also for blocks that an earlier version of the SDK filled. */
export async function addArrivals(session: Session, before: number, leaves: number): Promise<void> {
  const full = Math.floor(leaves / BLOCK)
  if (full === Math.floor(before / BLOCK)) return
  const next = numberIn(await oneRow(session, SELECT_NEXT_BLOCK), 'next')
  const added = await session.query(`${addBlocks('$1::bigint', '$2::bigint')} returning block`, [next, full])
  assertCount('arrival', added.length, full - next)
}

/**
 * Returns a statement that adds rows to `arrival`. It looks up each message alone, because the planner would
 * read all messages for a join.
 */
export function addBlocks(first: string, end: string): string {
  return `
    insert into alvarium.arrival (block, earliest, latest, unknown)
    select block, earliest, latest, unknown from generate_series(${first}, ${end} - 1) as block cross join lateral (
      select min(received) as earliest, max(received) as latest, count(*) - count(received) as unknown
      from (
        select evidence from alvarium.bundle where seq >= block * ${BLOCK} and seq < (block + 1) * ${BLOCK} offset 0
      ) as bundle cross join lateral (
        select received from alvarium.evidence where seq = bundle.evidence offset 0
      ) as message
    ) as times`
}
