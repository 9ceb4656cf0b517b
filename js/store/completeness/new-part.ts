import { noteOfMessage } from '../../evidence/completeness/checkpoint/message.js'
import { readTextInTurns } from '../../evidence/completeness/checkpoint/read-text.js'
import type { Checkpoint } from '../../evidence/completeness/checkpoint/text.js'
import type { KnownKey } from '../../evidence/completeness/known-key.js'
import { KnownSigner } from '../../evidence/completeness/known-signers.js'
import type { SignerReport } from '../../evidence/completeness/report.js'
import { shownSigner } from '../../evidence/completeness/report.js'
import { readNote } from '../../evidence/logs/note.js'
import { runYielding } from '../../foundation/base/time/turns.js'
import { VERDICT_WORDS } from '../../foundation/model/verdict-words.js'
import type { Row } from '../database/connection.js'
import type { Session } from '../database/database.js'
import { BLOCK } from '../ingest/arrivals.js'
import { CHECKPOINT } from '../ingest/control-messages.js'
import { bytesIn, numberIn } from '../rows/columns.js'
import { groupsOf } from '../rows/groups.js'
import { readPages } from '../rows/read-pages.js'
import { ownedKeys } from './owned-keys.js'
import {
  addStored,
  CHECKPOINT_PAGE,
  cut,
  type PartOfSigner,
  type SignerContext,
} from './signer-completeness.js'

interface NewOfKey {
  readonly key: string
  /**
   * `seq` of the first new checkpoint in the table `beside`. `before` is the `seq` of the newest older
   * checkpoint, or equals `first` if there is none.
   */
  readonly first: number
  readonly before: number
  /**
   * Log entry at which reading begins. No earlier entry has a message received since the second-newest older
   * checkpoint. 0 if there is no such checkpoint, or if its time of receipt is unknown.
   */
  readonly begin: number
}

interface NewOfSigner {
  readonly signer: string
  readonly since: Date
  readonly keys: readonly NewOfKey[]
}

/** Returns signers with checkpoints received since a time or at an unknown time, ordered by key id. */
export async function newCheckpoints(
  session: Session,
  params: readonly unknown[],
  { sinceMs, toleranceMs }: { readonly sinceMs: number; readonly toleranceMs: number },
): Promise<NewOfSigner[]> {
  const rows = await session.query(NEW, [...params, Math.ceil(sinceMs), toleranceMs])
  const keysOf = groupsOf(rows.map((row) => [String(row['signer']), keyIn(row)] as const))
  return Array.from(keysOf, ([signer, keys]) => ({ signer, since: new Date(sinceMs), keys }))
}

function keyIn(row: Row): NewOfKey {
  const [first, before, begin] = [numberIn(row, 'first'), numberIn(row, 'before'), numberIn(row, 'begin')]
  return { key: String(row['key']), first, before, begin }
}

/**
 * Checks only the new checkpoints of a signer, the newest older one, and the messages received since the
 * second-newest older one. Returns undefined if the report needs older checkpoints, for example because these
 * may explain a finding.
 */
export async function reportOfPart(
  context: SignerContext,
  { signer, since, keys }: NewOfSigner,
): Promise<PartOfSigner | undefined> {
  const logs = new KnownSigner(signer, context.toleranceMs)
  const owned = await ownedKeys(context.database, signer)
  for (const one of keys) {
    const before = await addCheckpoints(logs, context, one)
    if (!isAlone(logs.key(one.key), before)) return undefined
    if (!(await addStored(logs, one.key, owned.get(one.key), context, one.begin))) return undefined
  }
  const report = await runYielding(logs.report())
  if (hasFindings(report)) return undefined
  const says = `all that the checkpoints of ${shownSigner(report)} list that came since ${since.toISOString()} is here; what came before was not looked at`
  const verdict = { verdict: 'complete in part', outcome: VERDICT_WORDS['complete in part'], says } as const
  const { needs: _, ...rest } = report
  return { ...rest, ...verdict, prunedOrMissing: 0, ...cut(report), since }
}

/** Adds the new checkpoints and the newest older checkpoint. @returns the newest older checkpoint */
async function addCheckpoints(
  logs: KnownSigner,
  { database, signal }: SignerContext,
  { key, first, before }: NewOfKey,
): Promise<Checkpoint | undefined> {
  let old: Checkpoint | undefined
  const paging = { statement: CHECKPOINTS, count: CHECKPOINT_PAGE, params: [key, before] }
  for await (const rows of readPages(database, paging)) {
    for (const row of rows) {
      const checkpoint = await readTextInTurns(readNote(noteOfMessage(bytesIn(row, 'message'))).text)
      logs.add(checkpoint)
      if (numberIn(row, 'seq') < first) old = checkpoint
    }
    signal?.throwIfAborted()
  }
  return old
}

/**
 * Returns true if older checkpoints do not matter: each run begins in this part or continues from `before`, and
 * the run of `before` has no older pending messages.
 */
function isAlone({ runs, checkpoints }: KnownKey, before: Checkpoint | undefined): boolean {
  const begin = before?.from.size ?? 0
  const hasBegun = runs.every((run) => run.before === (run.run === before?.run ? begin : 0))
  return (
    hasBegun &&
    checkpoints.every(({ run, pending }) => run !== before?.run || (pending[0]?.first ?? begin) >= begin)
  )
}

function hasFindings({ missing, missingInGaps, gaps, forks, unlisted, pending }: SignerReport): boolean {
  return missing.length + missingInGaps + gaps.length + forks.length + unlisted.length + pending > 0
}

/** Selects the older checkpoints of a key, which come before its new ones. The newest is first. */
const EARLIER = `select seq, received from alvarium.beside
  where kind = ${CHECKPOINT} and beside.key = page.key and seq < first order by seq desc`

/** Selects keys with new checkpoints. {@link ownedKeys} says for which signer a key counts. */
const NEW = `
  select encode(owner, 'hex') as signer, encode(page.key, 'hex') as key, first, coalesce(old.seq, first) as before,
    case when older.received is null then 0 else ${BLOCK} * coalesce(
      (select min(block) from alvarium.arrival where latest >= older.received - $5::bigint),
      (select max(block) + 1 from alvarium.arrival), 0
    ) end as begin
  from (
    select key, first, owner, dense_rank() over (order by owner) as place
    from (
      select key, min(seq) as first from alvarium.beside
      where kind = ${CHECKPOINT} and (received is null or received >= $4::bigint) group by key
    ) as fresh cross join lateral (
      select signer as owner from alvarium.beside as own
      where own.kind = ${CHECKPOINT} and own.key = fresh.key order by own.signer limit 1
    ) as owned
    where ($1::text is null or owner = decode($1::text, 'hex')) and ($2::text is null or owner > decode($2::text, 'hex'))
  ) as page
  left join lateral (${EARLIER} limit 1) as old on true left join lateral (${EARLIER} offset 1 limit 1) as older on true
  where place <= $3::integer order by owner, page.key`

const CHECKPOINTS = `
  select seq, message from alvarium.beside
  where kind = ${CHECKPOINT} and key = decode($3::text, 'hex') and seq > $1::bigint and seq >= $4::bigint
  order by seq limit $2::integer`
