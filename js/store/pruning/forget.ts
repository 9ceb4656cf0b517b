import { randomFill } from '../../foundation/base/bytes/random.js'
import type { Codec } from '../../transport/codecs/codec.js'
import { extractBundles } from '../../verifying/verify/extract.js'
import { type Database, oneRow, type Session } from '../database/database.js'
import { lockHead } from '../ingest/add-entries.js'
import { addMessages, MAY_BE_BATCH } from '../ingest/message-ids.js'
import { bytesIn, numberIn, numbers, optionalNumberIn } from '../rows/columns.js'
import { groupsOf, partsOf } from '../rows/groups.js'
import type { Pruned } from './prune.js'
import { addPruning, type PruningCall } from './prunings.js'
import { unionOf } from './ranges.js'
import type { LeftRows } from './record.js'
import { type Remaining, type RemovedRows, remainingOf, removeBundles, removeMessages } from './remove.js'
import type { FindPayloads } from './selection.js'

/** Counts of forgotten payloads and bundles. */
export interface Forgotten extends Pruned {
  /** Number of payloads that were found and forgotten. */
  readonly payloads: number
  /** Ids of the log entries that record the removals, one per transaction. Pass them to `prove`. */
  readonly prunings: readonly string[]
}

/** Limits of one transaction: bundles, and bytes of batches. Ingesters wait for the transaction. */
const MAX_OF_TRANSACTION = { count: 50_000, bytes: 4 * 1024 * 1024 }
const A_STATEMENT = 5_000

/** Removes all bundles that name the payloads, and the payloads' names, in as few transactions as possible. */
export async function forget(
  database: Database,
  find: FindPayloads,
  codec: Codec | undefined,
): Promise<Forgotten> {
  const call = { at: Date.now(), before: undefined }
  let ids: readonly number[] | undefined
  const [done, prunings] = [{ bundles: 0, messages: 0, quarantined: 0, payloads: 0 }, [] as string[]]
  for (let isAll = false; !isAll; ) {
    const round = await database.write((session) => forgetSome(session, ids ?? find, { call, codec }))
    ids = round.ids
    isAll = round.isAll
    done.bundles += round.bundles
    done.messages += round.messages
    done.payloads = ids.length
    prunings.push(...round.prunings)
  }
  return { ...done, prunings }
}

interface ForgetCall {
  readonly call: PruningCall
  readonly codec: Codec | undefined
}

async function forgetSome(
  session: Session,
  selection: readonly number[] | FindPayloads,
  { call, codec }: ForgetCall,
) {
  const head = await lockHead(session)
  const ids = typeof selection === 'function' ? await selection(session) : selection
  const { seqs: named, isAll } = await namingSome(session, ids)
  if (isAll && ids.length > 0) await forgetNames(session, ids)
  if (named.length === 0) return { ids, isAll, bundles: 0, messages: 0, prunings: [] }
  const removed = await removeAll(session, named, call.at)
  const remaining = await remainingOf(session, removed.evidence)
  const classic = remaining.filter(({ isClassic }) => isClassic).map(({ seq }) => seq)
  // Remove the other annotations of another SDK's message too, because the message cannot be split.
  const { seqs, left } = joinRemovals([removed, await removeAll(session, classic, call.at)])
  const others = remaining.filter(({ isClassic }) => !isClassic)
  await extractRemaining(session, others, codec)
  const messages = await removeMessages(session, removed.evidence)
  const pruning = await addPruning(session, head, call, { seqs, left, messages })
  return { ids, isAll, bundles: seqs.length, messages, prunings: [pruning] }
}

async function namingSome(session: Session, ids: readonly number[]) {
  const rows = await session.query(NAMING, [numbers(ids), MAX_OF_TRANSACTION.count + 1])
  const fittingRows = rows.filter(
    (row, at) => at < MAX_OF_TRANSACTION.count && numberIn(row, 'before') < MAX_OF_TRANSACTION.bytes,
  )
  return { seqs: fittingRows.map((row) => numberIn(row, 'seq')), isAll: fittingRows.length === rows.length }
}

async function removeAll(
  session: Session,
  seqs: readonly number[],
  forgottenAt: number,
): Promise<RemovedRows> {
  const parts: RemovedRows[] = []
  for (const subset of partsOf(seqs, A_STATEMENT))
    parts.push(await removeBundles(session, subset, forgottenAt))
  return joinRemovals(parts)
}

function joinRemovals(parts: readonly RemovedRows[]): RemovedRows {
  const all = (table: keyof LeftRows) => unionOf(parts.flatMap(({ left }) => left[table]))
  return {
    seqs: parts.flatMap(({ seqs }) => seqs),
    evidence: [...new Set(parts.flatMap(({ evidence }) => evidence))],
    left: { word: all('word'), list: all('list'), datum: all('datum') },
  }
}

const DIGEST_BYTES = 32
/** Names per statement. Browsers and Node return at most 65,536 random bytes per call (Web Cryptography, 10.1.1). */
const NAMES = 65_536 / DIGEST_BYTES

/** Replaces the digests of names by random bytes, because the digest of a guessable text reveals the text. */
async function forgetNames(session: Session, ids: readonly number[]): Promise<void> {
  for (const subset of partsOf(ids, NAMES)) {
    await session.query(FORGET, [numbers(subset), randomFill(new Uint8Array(DIGEST_BYTES * subset.length))])
  }
}

const ANY_ID = 'any(array(select unnest($1::text::bigint[])))'

/**
 * Selects the bundles that name payloads. `before` is the number of bytes of the batches of earlier bundles.
 * The bytes of a batch count at its first bundle.
 */
const NAMING = `
  select seq, sum(bytes) over (order by seq) - bytes as before from (
    select named.seq, case
      when named.seq = min(named.seq) over (partition by named.evidence) and ${MAY_BE_BATCH} then octet_length(message)
      else 0 end as bytes
    from (
      select seq, evidence from alvarium.bundle where datum = ${ANY_ID}
      union
      select bundle.seq, evidence
      from alvarium.edge cross join lateral (
        select seq, evidence from alvarium.bundle
        where datum = edge.child and (previous = edge.parent or implied = edge.parent or inputs @> array[edge.parent]) offset 0
      ) as bundle
      where edge.parent = ${ANY_ID}
      order by seq limit $2::integer
    ) as named left join alvarium.evidence on evidence.seq = named.evidence
  ) as one order by seq`

const FORGET = `
  update alvarium.datum set text = null, digest = substring($2::bytea from ${DIGEST_BYTES} * (place::integer - 1) + 1 for ${DIGEST_BYTES})
  from unnest($1::text::bigint[]) with ordinality as given (forgotten_id, place) where datum.id = forgotten_id`

/**
 * Gives each remaining bundle of a batch its own message with an inclusion proof. The caller must hold the lock
 * on `alvarium.head`.
 */
async function extractRemaining(
  session: Session,
  remaining: readonly Remaining[],
  codec: Codec | undefined,
): Promise<void> {
  for (const [seq, bundles] of groupsOf(remaining.map((one) => [one.evidence, one] as const))) {
    await extractFrom(session, seq, bundles, codec)
  }
}

async function extractFrom(
  session: Session,
  evidence: number,
  bundles: readonly Remaining[],
  codec: Codec | undefined,
): Promise<void> {
  const row = await oneRow(session, BATCH, [evidence])
  const receivedAt = optionalNumberIn(row, 'received')
  const seqs = new Map(bundles.map(({ seq, place }) => [place, seq]))
  const extracts: { readonly seq: number; readonly message: Uint8Array }[] = []
  let place = 0
  for await (const message of extractBundles(bytesIn(row, 'message'), codec && { codec })) {
    const seq = seqs.get(place++)
    if (seq !== undefined) extracts.push({ seq, message })
  }
  const receivedMessages = extracts.map(({ message }) => ({ message, receivedAt }))
  const { seqs: evidenceOf, next } = await addMessages(session, receivedMessages, numberIn(row, 'next'))
  await session.query(MOVE, [
    numbers(extracts.map(({ seq }) => seq)),
    numbers(extracts.map(({ message }) => evidenceOf.get(message))),
  ])
  await session.query('update alvarium.head set evidence = $1::bigint', [next])
}

const BATCH = `
  select received, message, head.evidence as next from alvarium.evidence cross join alvarium.head where seq = $1::bigint`
const MOVE = `
  update alvarium.bundle set evidence = given.evidence, place = 0
  from unnest($1::text::bigint[], $2::text::bigint[]) as given (seq, evidence) where bundle.seq = given.seq`
