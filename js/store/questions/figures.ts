import * as v from 'valibot'
import { integer, readOptions, strict } from '../../foundation/base/options/schema.js'
import { receivedMs } from '../../signing/keys/trust-policy.js'
import { oneRow, type Session } from '../database/database.js'
import { bitAt, bytesIn, givenNumber, numberIn, optionalNumberIn } from '../rows/columns.js'
import { microseconds, timestampIn } from '../rows/moment.js'
import type { StringTable } from '../rows/string-table.js'

/** Counts and sizes of a store, for metrics and for noticing changes. */
export interface StoreStats {
  /** Number of bundles ever stored. Annotations of other SDKs count one by one. */
  readonly bundles: number
  /** Number of pruned bundles. The store has only their ids. */
  readonly pruned: number
  /** Number of messages ever stored. */
  readonly messages: number
  /** Number of payloads and sealed sets that bundles have ever named. */
  readonly payloads: number
  /** Number of quarantined messages by error code. */
  readonly quarantined: ReadonlyMap<string, number>
  /** Total length of the quarantined messages in bytes. */
  readonly quarantinedBytes: number
  /** Number of entries in the log: bundles, prunings, and messages of other SDKs. */
  readonly entries: number
  /** Newest checkpoint, if any: number of entries, and time of signing in milliseconds since 1970. */
  readonly checkpoint?: { readonly size: number; readonly madeAt: number }
  /** Newest bundle, if any: signed time and time of receipt, as far as known, in milliseconds since 1970. */
  readonly newest?: { readonly signedAt?: number; readonly receivedAt?: number }
}

/** Selects signers by the time since which they have been silent, and limits their number. */
export interface SilentOptions {
  /** Return only signers from which nothing was received since this time. Default: all signers. */
  readonly since?: Date | number | undefined
  /** Maximum number of signers. The longest silent ones come first. Default `1_000`. */
  readonly limit?: number | undefined
}

/** A signer, with the last bundle that the store has from this signer. */
export interface LastHeard {
  /** Key id of the signer: 32 lower-case hexadecimal digits. */
  readonly signer: string
  /** Name of the signer in the trust policy that permitted the last bundle. */
  readonly signedBy?: string
  /** Host that the last bundle names. */
  readonly host: string
  /** Position in the store of this signer's last bundle. */
  readonly seq: number
  /** Signed time of the last bundle: RFC 3339, exactly as signed. */
  readonly timestamp: string
  /** Time of receipt of the last bundle in milliseconds since 1970, if known. */
  readonly receivedAt?: number
}

/** Selects the bundles whose annotations are counted, by their signed times (the signers' clocks). */
export interface AnswersOptions {
  /** Beginning of the span. A time before 1970 counts as 1970. */
  readonly from: Date | number
  /** End of the span, exclusive. Default: no end. */
  readonly until?: Date | number | undefined
}

/** Counts of satisfied and unsatisfied annotations of a kind on a host in an hour. */
export interface HourOfAnswers {
  /** Beginning of the hour in milliseconds since 1970. */
  readonly hour: number
  readonly host: string
  readonly kind: string
  readonly yes: number
  readonly no: number
}

/** Valibot schema of {@link SilentOptions}. It is exported for the documentation page of limits. */
export const schema = strict({ since: v.optional(v.any()), limit: integer(1, 100_000, 1_000) })

const answersSchema = strict({ from: v.any(), until: v.optional(v.any()) })

/** Reads the options of `silent`. `since` is in microseconds since 1970, as text for a `bigint`. */
export function readSilentOptions(options: SilentOptions = {}) {
  const { since, limit } = readOptions(schema, options, 'silent')
  return { since: microseconds(since, 'silent.since'), limit }
}

/** Reads the options of `answers`. The times are in microseconds since 1970, as text for a `bigint`. */
export function readAnswersOptions(options: AnswersOptions) {
  const { from, until } = readOptions(answersSchema, options, 'answers')
  const first = receivedMs(from, 'answers.from') ?? 0
  return { from: `${Math.max(0, Math.floor(first)) * 1000}`, until: microseconds(until, 'answers.until') }
}

/** Returns counts and sizes. Reads most from `head`, and counts only prunings and quarantined messages. */
export async function statsOf(session: Session): Promise<StoreStats> {
  const head = await oneRow(session, HEAD)
  const reasons = await session.query(REASONS)
  const [checkpoint] = await session.query(CHECKPOINT)
  const [newest] = await session.query(NEWEST)
  const of = (name: string) => numberIn(head, name)
  return {
    bundles: of('bundles'),
    pruned: of('pruned'),
    messages: of('evidence'),
    payloads: of('data'),
    quarantined: new Map(reasons.map((row) => [String(row['code']), numberIn(row, 'count')])),
    quarantinedBytes: of('quarantined_bytes'),
    entries: of('leaves'),
    ...(checkpoint && {
      checkpoint: { size: numberIn(checkpoint, 'size'), madeAt: numberIn(checkpoint, 'made') },
    }),
    ...(newest && {
      newest: { ...givenNumber(newest, 'at', 'signedAt'), ...givenNumber(newest, 'received', 'receivedAt') },
    }),
  }
}

const HEAD = `
  select leaves - classic - (select count(*) from alvarium.pruning) as bundles, pruned, evidence, data, quarantined_bytes,
    leaves
  from alvarium.head`
const REASONS = 'select code, count(*) as count from alvarium.quarantine group by code order by code'

const CHECKPOINT = 'select size, made from alvarium.checkpoint order by size desc limit 1'
const NEWEST = `
  select at / 1000 as at, received from alvarium.bundle join alvarium.evidence on evidence.seq = bundle.evidence
  order by bundle.seq desc limit 1`

export async function silentIn(
  session: Session,
  strings: StringTable,
  { since, limit }: ReturnType<typeof readSilentOptions>,
): Promise<LastHeard[]> {
  const rows = await session.query(SILENT, [since, limit])
  await strings.learn(session, rows, { words: ['signer', 'signed_by', 'host'] })
  return rows.map((row) => {
    const signedBy = optionalNumberIn(row, 'signed_by')
    return {
      signer: strings.text(numberIn(row, 'signer')),
      ...(signedBy !== undefined && { signedBy: strings.text(signedBy) }),
      host: strings.text(numberIn(row, 'host')),
      seq: numberIn(row, 'seq'),
      timestamp: timestampIn(row),
      ...givenNumber(row, 'received', 'receivedAt'),
    }
  })
}

/**
 * Selects the last bundle of each signer, along the index from one signer to the next (PostgreSQL wiki, Loose
 * indexscan).
 */
const SILENT = `
  with recursive known (signer) as (
    (select signer from alvarium.bundle order by signer limit 1)
    union all
    select (select signer from alvarium.bundle where signer > known.signer order by signer limit 1)
    from known where known.signer is not null
  )
  select last.seq, last.signer, last.signed_by, last.host, last.at::text as at, last.spelled, received
  from known cross join lateral (
    select seq, signer, signed_by, host, at, spelled, evidence from alvarium.bundle
    where signer = known.signer order by seq desc limit 1
  ) as last join alvarium.evidence on evidence.seq = last.evidence
  where $1::text is null or coalesce(received * 1000, last.at) < $1::text::bigint
  order by coalesce(received * 1000, last.at), last.seq limit $2::integer`

export async function answersIn(
  session: Session,
  strings: StringTable,
  { from, until }: ReturnType<typeof readAnswersOptions>,
): Promise<HourOfAnswers[]> {
  const rows = await session.query(HOURS, [from, until])
  await strings.learn(session, rows, { words: ['host'], lists: ['kinds'] })
  const hours = new Map<string, { hour: number; host: string; kind: string; yes: number; no: number }>()
  for (const row of rows) {
    const [hour, host] = [numberIn(row, 'hour') * HOUR_MS, numberIn(row, 'host')]
    const [ok, count] = [bytesIn(row, 'ok'), numberIn(row, 'count')]
    for (const [at, kind] of strings.texts(numberIn(row, 'kinds')).entries()) {
      const name = `${hour} ${host} ${kind}`
      const sum = hours.get(name) ?? { hour, host: strings.text(host), kind, yes: 0, no: 0 }
      sum[bitAt(ok, at) ? 'yes' : 'no'] += count
      hours.set(name, sum)
    }
  }
  return [...hours.values()].sort((a, b) => b.hour - a.hour || b.no - a.no)
}

const HOUR_MS = 3_600_000

/** Selects the counts by hour. The index of `at` limits the scan to blocks that can have such bundles. */
const HOURS = `
  select at / 3600000000 as hour, host, kinds, ok, count(*) as count from alvarium.bundle
  where at >= $1::text::bigint and ($2::text is null or at < $2::text::bigint)
  group by 1, 2, 3, 4`
