import * as v from 'valibot'
import { describe, expected } from '../../foundation/base/errors.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { type ReceiptSpan, readReceiptSpan, spanSchema, type TimeSpan } from '../ingest/arrivals.js'
import { microseconds } from '../rows/moment.js'

/** Conditions for bundles. A bundle must meet all of them. */
export interface BundleFilter {
  /** Key id of the signer, or the signer's name in the trust policy that permitted the bundle when it was stored. */
  readonly signer?: string | undefined
  readonly host?: string | undefined
  /** Kind of one of the annotations. */
  readonly kind?: string | undefined
  /** Tag of one of the annotations. */
  readonly tag?: string | undefined
  /** Span of the signed time, by the signer's clock. `from` is inclusive, `until` exclusive. */
  readonly at?: TimeSpan | undefined
  /**
   * Span of the time of receipt, independent of the signed time. `from` is inclusive, `until` exclusive. A
   * bundle with an unknown time of receipt does not match; `'unknown'` selects such bundles.
   */
  readonly received?: TimeSpan | 'unknown' | undefined
}

const text = v.optional(v.string('a text'))
const filterSchema = strict({
  signer: text,
  host: text,
  kind: text,
  tag: text,
  at: spanSchema,
  received: v.optional(v.any()),
})

/** Condition of a query: SQL with a parameter `?`, a text to find in a column, or a span of times of receipt. */
export type Condition =
  | Plain
  | { readonly column: 'signer' | 'signed_by' | 'host' | 'kinds' | 'tags'; readonly text: string }
  | ReceiptSpan

export type Plain = readonly [sql: string, value: unknown]

/** Reads a filter. Refuses one without conditions, because it would select all bundles. */
export function conditionsOf(filter: BundleFilter): Condition[] {
  const { signer, host, kind, tag, at, received } = readOptions(filterSchema, filter, 'filter')
  const named: (Condition | undefined)[] = [
    signer === undefined ? signer : { column: isKeyId(signer) ? 'signer' : 'signed_by', text: signer },
    host === undefined ? host : { column: 'host', text: host },
    kind === undefined ? kind : { column: 'kinds', text: kind },
    tag === undefined ? tag : { column: 'tags', text: tag },
    readReceiptSpan(received),
  ]
  const moment = (sql: string, value: Date | number | undefined): Condition[] => {
    const micros = microseconds(value, 'filter.at')
    return micros === undefined ? [] : [[sql, micros]]
  }
  const spans = [...moment(FROM, at?.from), ...moment(UNTIL, at?.until)]
  const conditions = [...named.filter((one) => one !== undefined), ...spans]
  if (conditions.length > 0) return conditions
  const expectation = 'at least one of signer, host, kind, tag, at and received'
  throw expected('CONFIG_INVALID', 'filter', expectation, describe(filter))
}

export const FROM = 'at >= ?::text::bigint'
export const UNTIL = 'at < ?::text::bigint'

function isKeyId(signer: string): boolean {
  return /^[0-9a-f]{32}$/.test(signer)
}
