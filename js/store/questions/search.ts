import * as v from 'valibot'
import { integer, readOptions, strict } from '../../foundation/base/options/schema.js'
import type { TrustPolicy } from '../../signing/keys/trust-policy.js'
import type { TrustApplied } from '../../verifying/score/scoring-input.js'
import type { Row } from '../database/connection.js'
import { oneRow, type Session } from '../database/database.js'
import { type ReceiptSpan, rangesOfTime } from '../ingest/arrivals.js'
import { type Range, rangeColumns } from '../pruning/ranges.js'
import { numberIn, numbers, optionalNumberIn } from '../rows/columns.js'
import { type TrustOption, trustSchema } from '../scoring/options.js'
import { nothingRefused, type TrustedReader } from '../scoring/trusted.js'
import { type Condition, FROM, type Plain, UNTIL } from './filter.js'
import {
  BUNDLE_COLUMNS,
  BUNDLE_JOINS,
  type PageSource,
  type StoredBundle,
  storedBundles,
} from './stored-bundle.js'

/** Selects a page of bundles: the maximum size, and where the page begins. */
export interface PageOptions extends TrustOption {
  /** Maximum number of bundles. Default `100`. */
  readonly limit?: number | undefined
  /** The `next` of the previous page. Default: start with the first bundle. */
  readonly after?: string | undefined
}

/** A page of bundles, in the order in which they were stored. */
export interface Page {
  readonly bundles: readonly StoredBundle[]
  /** Value of `after` for the next page. Missing on the last page. */
  readonly next?: string
  /** Policy of the option `trust`, and the number of bundles on this page that it refuses (see `trusted`). */
  readonly trust?: TrustApplied
}

/** Valibot schema of {@link PageOptions}. It is exported for the documentation page of limits. */
export const schema = strict({
  limit: integer(1, 10_000, 100),
  after: v.optional(
    v.pipe(v.string('the value of next from a page'), v.regex(/^\d{1,15}$/, 'the value of next from a page')),
  ),
  trust: trustSchema,
})

export interface PageSettings {
  readonly limit: number
  /** Position of the last bundle on the previous page, or -1. */
  readonly after: number
  readonly trust: TrustPolicy | undefined
}

export function readPageOptions(options: PageOptions = {}): PageSettings {
  const { limit, after = '-1', trust } = readOptions(schema, options, 'page')
  return { limit, after: Number(after), trust }
}

interface Choice {
  readonly column: string
  readonly ids: readonly number[]
}

async function choiceOf(
  session: Session,
  { column, text }: Extract<Condition, { column: string }>,
): Promise<Choice> {
  const statement = column === 'kinds' || column === 'tags' ? LISTS : WORD
  const rows = await session.query(statement, [new TextEncoder().encode(text)])
  return { column, ids: rows.map((row) => numberIn(row, 'id')) }
}

const WORD = 'select id from alvarium.word where word = $1::bytea'
const LISTS = `select list.id from alvarium.list where words @> array[(${WORD})]`

export async function pageOf(
  source: PageSource,
  conditions: readonly Condition[],
  { limit, after }: PageSettings,
): Promise<Page> {
  const { session, trusted } = source
  const plain = conditions.filter((one) => 'length' in one)
  const received = conditions.find((one) => 'receipt' in one)
  const choices: Choice[] = []
  for (const one of conditions) if ('column' in one) choices.push(await choiceOf(session, one))
  const nothing = { bundles: [], ...(trusted && { trust: nothingRefused(trusted.policy) }) }
  if (choices.some(({ ids }) => ids.length === 0)) return nothing
  choices.sort((one, other) => one.ids.length - other.ids.length)
  const ranges = received
    ? await rangesOfTime(session, received, after)
    : await rangesAfter(session, { plain, isAlone: choices.length === 0 }, after)
  if (ranges.length === 0) return nothing
  const { statement, params } = statementOf(choices, plain, received)
  const rows = await session.query(statement, [...rangeColumns(ranges), limit, ...params])
  const bundles = await storedBundles(source, rows.slice(0, limit))
  const page = { bundles, ...(trusted && { trust: appliedTo(bundles, trusted) }) }
  if (rows.length <= limit) return page
  return { ...page, next: String(numberIn(rows[limit - 1] as Row, 'seq')) }
}

function appliedTo(bundles: readonly StoredBundle[], { policy }: TrustedReader): TrustApplied {
  const refused: Record<string, number> = {}
  for (const { trusted } of bundles) {
    if (trusted?.code !== undefined) refused[trusted.code] = (refused[trusted.code] ?? 0) + 1
  }
  return { ...nothingRefused(policy), refused }
}

/** Returns the range of the log to search, or none if no later bundle meets the conditions. */
async function rangesAfter(
  session: Session,
  { plain, isAlone }: { readonly plain: readonly Plain[]; readonly isAlone: boolean },
  after: number,
): Promise<Range[]> {
  const isByTime = isAlone && plain.some(([sql]) => sql === FROM || sql === UNTIL)
  const from = isByTime ? await beginningOf(session, plain, after) : after
  return from === undefined ? [] : [[from + 1, Number.MAX_SAFE_INTEGER]]
}

/**
 * Builds the statement of a page. It selects at most `limit + 1` bundles for each range and each id of the
 * first `Choice`, by index. For a simple query, the planner would scan all bundles: with 10^7, a rare tag took
 * seconds. Ordering by two columns prevents that scan.
 */
function statementOf(
  [first, ...others]: readonly Choice[],
  plain: readonly Plain[],
  received: ReceiptSpan | undefined,
) {
  const params: unknown[] = []
  const parameter = (value: unknown) => `$${params.push(value) + 3}`
  const given = first && `unnest(${parameter(numbers(first.ids))}::text::integer[]) as given (id)`
  const where = [
    ...(first ? inOrder(first.column) : ['seq >= range.first', 'seq <= range.last']),
    ...others.map(({ column, ids }) => `${column} = any(${parameter(numbers(ids))}::text::integer[])`),
    ...plain.map(([sql, value]) => sql.replace('?', parameter(value))),
  ]
  const arrivalJoin = received && arrivalIn(received, parameter)
  const pageQuery = `
    select bundle.* from alvarium.bundle ${arrivalJoin ?? ''}
    where ${where.join(' and ')} order by ${first ? `${first.column}, ` : ''}bundle.seq limit $3::integer + 1`
  const found = `
    select one.* from unnest($1::text::bigint[], $2::text::bigint[]) as range (first, last) ${given ? `cross join ${given}` : ''}
    cross join lateral (${pageQuery}) as one order by seq limit $3::integer + 1`
  const statement = `
    select ${BUNDLE_COLUMNS} from (${found}) as bundle ${BUNDLE_JOINS} order by bundle.seq`
  return { statement, params }
}

/** Returns a join that looks up each bundle's message, because a plain join would read all messages first. */
function arrivalIn(span: ReceiptSpan, parameter: (value: unknown) => string): string {
  const condition =
    span.receipt === 'unknown'
      ? 'received is null'
      : `received >= ${parameter(span.from)}::text::bigint and received < ${parameter(span.until)}::text::bigint`
  return `cross join lateral (
      select from alvarium.evidence where evidence.seq = bundle.evidence and ${condition} offset 0
    ) as arrived`
}

/** Returns conditions for one id and a range of the log, written so that the planner uses the column's index. */
function inOrder(column: string): string[] {
  const order = [`(${column}, seq) >= (given.id, range.first)`, `(${column}, seq) <= (given.id, range.last)`]
  return column === 'signed_by' ? ['signed_by is not null', ...order] : order
}

/**
 * Returns a position before the first bundle after `after` that meets the conditions on signed times, or
 * undefined if there is none. Uses the index of signed times unless such a bundle is near. `offset 0`
 * prevents the planner from scanning by `seq` instead.
 */
async function beginningOf(
  session: Session,
  plain: readonly Plain[],
  after: number,
): Promise<number | undefined> {
  const conditions = plain.map(([sql], at) => sql.replace('?', `$${at + 2}`))
  const where = ['seq > $1::bigint', ...conditions].join(' and ')
  const params = [after, ...plain.map(([, value]) => value)]
  const near = `select 1 from alvarium.bundle where ${where} and seq <= $1::bigint + ${NEAR_BUNDLES} limit 1`
  if ((await session.query(near, params)).length > 0) return after
  const first = `select min(seq) as seq from (select seq from alvarium.bundle where ${where} offset 0) as found`
  const seq = optionalNumberIn(await oneRow(session, first, params), 'seq')
  return seq === undefined ? undefined : seq - 1
}

/** Number of bundles to read first, in a few milliseconds. The index is used only if none of them matches. */
const NEAR_BUNDLES = 10_000
