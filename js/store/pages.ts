import * as v from 'valibot'
import { describe, expected } from '../base/errors.js'
import { integer, readOptions, strict } from '../base/options/schema.js'
import { receivedMs } from '../keys/trust-policy.js'
import { numberIn } from './columns.js'
import type { Session } from './database.js'
import type { Lexicon } from './lexicon.js'
import { COLUMNS, type StoredBundle, storedBundles, TABLES } from './stored.js'

/** How many bundles a page has, and where it begins. */
export interface PageOptions {
  /** Most bundles. Default `100`. */
  readonly limit?: number | undefined
  /** The `next` of the page before. Default: from the first. */
  readonly after?: string | undefined
}

/** Some bundles, in the order in which they were stored. */
export interface Page {
  readonly bundles: readonly StoredBundle[]
  /** Where the next page begins; missing on the last one. */
  readonly next?: string
}

/** What bundles have in common. All that is given has to be so. */
export interface BundleFilter {
  /** Key id of the signer, or its name in the trust policy by which a bundle was judged when it was stored. */
  readonly signer?: string | undefined
  readonly host?: string | undefined
  /** The kind of one of the annotations. */
  readonly kind?: string | undefined
  /** The tag of one of the annotations. */
  readonly tag?: string | undefined
  /** Signed then, by the signer's clock: from the first moment on, and before the second. */
  readonly at?:
    | { readonly from?: Date | number | undefined; readonly until?: Date | number | undefined }
    | undefined
}

/** The page of limits shows it. */
export const schema = strict({
  limit: integer(1, 10_000, 100),
  after: v.optional(v.pipe(v.string('the next of a page'), v.regex(/^\d{1,15}$/, 'the next of a page'))),
})

const text = v.optional(v.string('a text'))
const filterSchema = strict({
  signer: text,
  host: text,
  kind: text,
  tag: text,
  at: v.optional(strict({ from: v.optional(v.any()), until: v.optional(v.any()) })),
})

/** What a page is read by. */
export interface PageSettings {
  readonly limit: number
  /** The last place of the page before. */
  readonly after: number
}

/** @throws AlvariumError `CONFIG_INVALID` */
export function readPageOptions(options: PageOptions = {}): PageSettings {
  const { limit, after = '-1' } = readOptions(schema, options, 'page')
  return { limit, after: Number(after) }
}

/** A condition of a statement, and its parameter, which `?` stands for. */
export type Condition = readonly [sql: string, value: unknown]

/** @throws AlvariumError `CONFIG_INVALID`; TypeError for what is no time */
export function conditionsOf(filter: BundleFilter): Condition[] {
  const { signer, host, kind, tag, at } = readOptions(filterSchema, filter, 'filter')
  const of = (sql: string, value: string | undefined): Condition[] =>
    value === undefined ? [] : [[sql, new TextEncoder().encode(value)]]
  const moment = (sql: string, value: unknown): Condition[] => {
    const ms = receivedMs(value as Date | undefined, 'filter.at')
    return ms === undefined ? [] : [[sql, `${BigInt(Math.floor(ms)) * 1000n}`]]
  }
  return [
    ...of(`${isKeyId(signer) ? 'signer' : 'signed_by'} = ${WORD}`, signer),
    ...of(`host = ${WORD}`, host),
    ...of(`kinds ${IN_LISTS}`, kind),
    ...of(`tags ${IN_LISTS}`, tag),
    ...moment('at >= ?::text::bigint', at?.from),
    ...moment('at < ?::text::bigint', at?.until),
  ]
}

/** Names in a policy are for people. */
function isKeyId(signer: string | undefined): boolean {
  return /^[0-9a-f]{32}$/.test(signer ?? '')
}

const WORD = '(select id from alvarium.word where word = ?::bytea)'
const IN_LISTS = `= any(array(select list.id from alvarium.list where words @> array[${WORD}]))`

/** Bundles that meet all conditions. */
export async function pageOf(
  session: Session,
  lexicon: Lexicon,
  conditions: readonly Condition[],
  { limit, after }: PageSettings,
): Promise<Page> {
  const where = conditions.map(([sql], at) => sql.replaceAll('?', `$${at + 3}`))
  const statement = `
    select ${COLUMNS} from ${TABLES}
    where ${['bundle.seq > $1::bigint', ...where].join(' and ')}
    order by bundle.seq limit $2::integer + 1`
  const rows = await session.query(statement, [after, limit, ...conditions.map(([, value]) => value)])
  const bundles = await storedBundles(session, lexicon, rows.slice(0, limit))
  if (rows.length <= limit) return { bundles }
  return { bundles, next: String(numberIn(rows[limit - 1] as never, 'seq')) }
}

/** @throws AlvariumError `CONFIG_INVALID` for no filter at all: that is another question, with another answer */
export function assertFilter(conditions: readonly Condition[], filter: unknown): void {
  if (conditions.length > 0) return
  throw expected('CONFIG_INVALID', 'filter', 'one of signer, host, kind, tag and at', describe(filter))
}
