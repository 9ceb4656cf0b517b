import * as v from 'valibot'
import type { LogCheckpoint } from '../../evidence/logs/checkpoint.js'
import { expected } from '../../foundation/base/errors.js'
import { readOptions, strict } from '../../foundation/base/options/schema.js'
import { receivedMs } from '../../signing/keys/trust-policy.js'
import type { Database, Session } from '../database/database.js'
import { lockHead } from '../ingest/add-entries.js'
import { dropOlder } from '../ingest/quarantine.js'
import { logSize } from '../log/tiles.js'
import { numberIn } from '../rows/columns.js'
import { addPruning, type PruningCall } from './prunings.js'
import { remainingOf, removeBundles, removeMessages } from './remove.js'

/** Selects the bundles to prune, and how to follow and cancel the call. */
export interface PruneOptions {
  /** Prunes bundles received before this past time. If the time of receipt is unknown, the signing time counts. */
  readonly before: Date | number
  /** Signal that cancels the call after the transaction in progress. The next call continues. */
  readonly signal?: AbortSignal | undefined
  /**
   * Callback that receives the counts so far, after each transaction that prunes bundles. It is awaited. If
   * it throws, the call ends.
   */
  readonly onProgress?: ((done: Pruned) => unknown) | undefined
}

/** Counts of pruned bundles and messages. */
export interface Pruned {
  /** Number of removed bundles. Annotations of other SDKs count one by one. */
  readonly bundles: number
  /** Number of removed messages. `prune` removes a message with the last of its bundles. */
  readonly messages: number
  /** Number of removed quarantined messages. */
  readonly quarantined: number
  /**
   * Signed checkpoint of the log after the pruning. Keep its `note` elsewhere. Missing if no bundle was
   * removed, if there is no option `log`, or if signing failed, which is logged. Until a checkpoint is
   * signed, the database is the only evidence for the prunings.
   */
  readonly checkpoint?: LogCheckpoint
}

const pruneSchema = strict({
  before: v.any(),
  signal: v.optional(v.instance(AbortSignal, 'an AbortSignal')),
  onProgress: v.optional(
    v.custom<(done: Pruned) => unknown>((value) => typeof value === 'function', 'a function'),
  ),
})

type PruneSettings = Omit<PruneOptions, 'before'> & { readonly before: number }

export function readPruneOptions(options: PruneOptions): PruneSettings {
  const { before: given, ...settings } = readOptions(pruneSchema, options, 'prune')
  const before = receivedMs(given, 'prune.before')
  if (before !== undefined && before <= Date.now()) return { ...settings, before: Math.floor(before) }
  const got = before === undefined ? undefined : new Date(before).toISOString()
  throw expected('CONFIG_INVALID', 'prune.before', 'a time that has passed', got)
}

/** Bundles per transaction. The limit is low because ingesters wait for the transaction. */
const BUNDLES_PER_CALL = 2_000
/** Log entries that one statement reads. */
const WINDOW = 50_000

export async function prune(
  database: Database,
  { before, signal, onProgress }: PruneSettings,
): Promise<Pruned> {
  signal?.throwIfAborted()
  const end = await database.read(logSize)
  const quarantined = await database.write((session) => dropOlder(session, before))
  const call = { at: Date.now(), before }
  let done: Pruned = { bundles: 0, messages: 0, quarantined }
  for (let from = 0; from < end; ) {
    signal?.throwIfAborted()
    const { seqs, next } = await database.read((session) => findExpired(session, from, before))
    from = next
    if (seqs.length === 0) continue
    const { bundles, messages } = await database.write((session) => pruneSome(session, seqs, call))
    done = { ...done, bundles: done.bundles + bundles, messages: done.messages + messages }
    await onProgress?.(done)
  }
  return done
}

/** Finds expired bundles at or after a log entry, in a transaction for which ingesters need not wait. */
async function findExpired(
  session: Session,
  from: number,
  before: number,
): Promise<{ readonly seqs: number[]; readonly next: number }> {
  const rows = await session.query(SELECT_EXPIRED, [from, from + WINDOW, `${before}`, BUNDLES_PER_CALL])
  const seqs = rows.map((row) => numberIn(row, 'seq'))
  const isMore = seqs.length === BUNDLES_PER_CALL
  return { seqs, next: isMore ? (seqs.at(-1) as number) + 1 : from + WINDOW }
}

const SELECT_EXPIRED = `
  select bundle.seq from alvarium.bundle join alvarium.evidence on evidence.seq = bundle.evidence
  where bundle.seq >= $1::bigint and bundle.seq < $2::bigint and coalesce(received * 1000, at) < $3::text::bigint * 1000
  order by bundle.seq limit $4::integer`

async function pruneSome(session: Session, expiredSeqs: readonly number[], call: PruningCall) {
  const head = await lockHead(session)
  const { seqs, evidence, left } = await removeBundles(session, expiredSeqs)
  if (seqs.length === 0) return { bundles: 0, messages: 0 }
  const remaining = new Set((await remainingOf(session, evidence)).map((one) => one.evidence))
  const messages = await removeMessages(
    session,
    evidence.filter((one) => !remaining.has(one)),
  )
  await addPruning(session, head, call, { seqs, left, messages })
  return { bundles: seqs.length, messages }
}
