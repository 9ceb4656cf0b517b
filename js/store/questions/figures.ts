import * as v from 'valibot'
import { integer, readOptions, strict } from '../../foundation/base/options/schema.js'
import { receivedMs } from '../../signing/keys/trust-policy.js'
import type { Row } from '../database/connection.js'
import { oneRow, type Session } from '../database/database.js'
import { bitAt, bytesIn, numberIn, optionalNumberIn } from '../rows/columns.js'
import { microseconds, timestampIn } from '../rows/moment.js'
import type { StringTable } from '../rows/string-table.js'

/** Sizes of a store: for metrics, and to see whether anything has changed. */
export interface StoreStats {
  /** Number of bundles ever stored, and annotations of other SDKs, which count one by one. */
  readonly bundles: number
  /** Number of pruned bundles: only their ids are left. */
  readonly pruned: number
  /** Number of messages ever stored. */
  readonly messages: number
  /** Number of payloads that bundles name. */
  readonly payloads: number
  /** Number of quarantined messages by error code. */
  readonly quarantined: ReadonlyMap<string, number>
  /** Bytes of quarantined messages. */
  readonly quarantinedBytes: number
  /** Number of entries in the log of the store: more than `bundles`, since prunings and messages of other SDKs are entries, too. */
  readonly entries: number
  /** Newest checkpoint of the log, if it has one: entries, and the time of signing in milliseconds since 1970. */
  readonly checkpoint?: { readonly size: number; readonly madeAt: number }
  /** Newest bundle, if there is one: the time of its signer, and the time of receipt if known, in milliseconds since 1970. */
  readonly newest?: { readonly signedAt?: number; readonly receivedAt?: number }
}

/** Options of a list of signers. */
export interface SilentOptions {
  /** Time since which nothing was received from the signers. Default: all signers. */
  readonly since?: Date | number | undefined
  /** Maximum number of signers: the longest silent ones. Default `1_000`. */
  readonly limit?: number | undefined
}

/** A signer, and its last bundle in the store. */
export interface LastHeard {
  /** Key id of the signer: 32 lower-case hexadecimal digits. */
  readonly signer: string
  /** The signer's name in the trust policy that accepted its last bundle. */
  readonly signedBy?: string
  /** Host in its last bundle. */
  readonly host: string
  /** Place of its last bundle in the store. */
  readonly seq: number
  /** Signed time of its last bundle: RFC 3339, exactly as signed. */
  readonly timestamp: string
  /** Time of receipt of its message in milliseconds since 1970, if known. */
  readonly receivedAt?: number
}

/** A span of time, by the clocks of signers. */
export interface AnswersOptions {
  /** Beginning of the span. Not before 1970. */
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

/** The page of limits shows it. */
export const schema = strict({ since: v.optional(v.any()), limit: integer(1, 100_000, 1_000) })

const answersSchema = strict({ from: v.any(), until: v.optional(v.any()) })

/** Settings of a search for silent signers. Times are microseconds since 1970, for a `bigint`. */
export interface SilentSettings {
  readonly since: string | undefined
  readonly limit: number
}

/** @throws AlvariumError `CONFIG_INVALID`; TypeError for an invalid time */
export function readSilentOptions(options: SilentOptions = {}): SilentSettings {
  const { since, limit } = readOptions(schema, options, 'silent')
  return { since: microseconds(since, 'silent.since'), limit }
}

/** Span of time in microseconds, as text for a `bigint`. */
export interface HoursSettings {
  readonly from: string
  readonly until: string | undefined
}

/** @throws AlvariumError `CONFIG_INVALID`; TypeError for an invalid time */
export function readAnswersOptions(options: AnswersOptions): HoursSettings {
  const { from, until } = readOptions(answersSchema, options, 'answers')
  const first = receivedMs(from, 'answers.from') ?? 0
  return { from: `${Math.max(0, Math.floor(first)) * 1000}`, until: microseconds(until, 'answers.until') }
}

/** Reads the numbers from the head, and counts only quarantined messages. */
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
    ...(newest && { newest: momentsOf(newest) }),
  }
}

function momentsOf(row: Row): NonNullable<StoreStats['newest']> {
  const [signedAt, receivedAt] = [optionalNumberIn(row, 'at'), optionalNumberIn(row, 'received')]
  return { ...(signedAt !== undefined && { signedAt }), ...(receivedAt !== undefined && { receivedAt }) }
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

/** Returns signers with their last bundles, the longest silent first. */
export async function silentIn(
  session: Session,
  strings: StringTable,
  { since, limit }: SilentSettings,
): Promise<LastHeard[]> {
  const rows = await session.query(SILENT, [since, limit])
  await strings.learn(session, rows, { words: ['signer', 'signed_by', 'host'] })
  return rows.map((row) => {
    const [signedBy, receivedAt] = [optionalNumberIn(row, 'signed_by'), optionalNumberIn(row, 'received')]
    return {
      signer: strings.text(numberIn(row, 'signer')),
      ...(signedBy !== undefined && { signedBy: strings.text(signedBy) }),
      host: strings.text(numberIn(row, 'host')),
      seq: numberIn(row, 'seq'),
      timestamp: timestampIn(row),
      ...(receivedAt !== undefined && { receivedAt }),
    }
  })
}

/**
 * Query for the last bundle of each signer. It goes along the index from one signer to the next, and reads nothing else, however many bundles
 * there are (PostgreSQL wiki, Loose indexscan).
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

/** Counts answers by hour, host and kind; the newest hour first, and in it the most often unsatisfied kind first. */
export async function answersIn(
  session: Session,
  strings: StringTable,
  { from, until }: HoursSettings,
): Promise<HourOfAnswers[]> {
  const rows = await session.query(HOURS, [from, until])
  await strings.learn(session, rows, { words: ['host'], lists: ['kinds'] })
  const hours = new Map<string, { hour: number; host: string; kind: string; yes: number; no: number }>()
  for (const row of rows) {
    const [hour, host, count] = [
      numberIn(row, 'hour') * HOUR_MS,
      numberIn(row, 'host'),
      numberIn(row, 'count'),
    ]
    const ok = bytesIn(row, 'ok')
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

/** Query for the hours. The index of `at` shows which parts of the table can have such rows. */
const HOURS = `
  select at / 3600000000 as hour, host, kinds, ok, count(*) as count from alvarium.bundle
  where at >= $1::text::bigint and ($2::text is null or at < $2::text::bigint)
  group by 1, 2, 3, 4`
