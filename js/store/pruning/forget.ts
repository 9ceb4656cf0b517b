import { randomFill } from '../../base/bytes/random.js'
import type { Codec } from '../../codecs/codec.js'
import { lockHead } from '../adding.js'
import { numberIn } from '../columns.js'
import type { Database, Session } from '../database.js'
import type { DatumName } from '../payload-name.js'
import { datumId } from '../stored.js'
import type { Pruned } from './prune.js'
import { addPruning, type PruningCall } from './prunings.js'
import { unionOf } from './ranges.js'
import type { LeftRows } from './record.js'
import { type Remaining, type Removed, remainingOf, removeBundles, removeMessages } from './remove.js'
import { takeOut } from './take-out.js'

/** Bundles in one transaction, and bytes of their messages: all others of a batch get messages of their own, and ingesters wait meanwhile. */
const TOGETHER = { count: 500, bytes: 1024 * 1024 }

/** Removes all that names a payload, in as many transactions as it takes, and then its name. */
export async function forget(
  database: Database,
  payload: DatumName,
  codec: Codec | undefined,
): Promise<Pruned> {
  const call = { at: Date.now(), before: undefined }
  let [bundles, messages] = [0, 0]
  for (;;) {
    const some = await database.write((session) => forgetSome(session, payload, { call, codec }))
    if (some === undefined) return { bundles, messages, quarantined: 0 }
    bundles += some.bundles
    messages += some.messages
  }
}

/** @returns nothing when all is gone */
async function forgetSome(
  session: Session,
  payload: DatumName,
  { call, codec }: { readonly call: PruningCall; readonly codec: Codec | undefined },
) {
  const head = await lockHead(session)
  const datum = await datumId(session, payload)
  if (datum === undefined) return undefined
  const rows = await session.query(NAMING, [datum, TOGETHER.count, TOGETHER.bytes])
  if (rows.length === 0) {
    await session.query(FORGET, [datum, randomFill(new Uint8Array(DIGEST_BYTES))])
    return undefined
  }
  const removed = await removeBundles(
    session,
    rows.map((row) => numberIn(row, 'seq')),
  )
  const remaining = await remainingOf(session, removed.evidence)
  const { seqs, left } = withMore(removed, await removeClassic(session, remaining))
  await takeOut(
    session,
    remaining.filter(({ isClassic }) => !isClassic),
    codec,
  )
  const messages = await removeMessages(session, removed.evidence)
  await addPruning(session, head, call, { seqs, left, messages })
  return { bundles: seqs.length, messages }
}

const DIGEST_BYTES = 32

/** The annotations of a message of another SDK cannot be taken out of it, and it has the name in it. */
async function removeClassic(
  session: Session,
  remaining: readonly Remaining[],
): Promise<Removed | undefined> {
  const classic = remaining.filter(({ isClassic }) => isClassic).map(({ seq }) => seq)
  return classic.length === 0 ? undefined : removeBundles(session, classic)
}

/** Combines two removals of one transaction. */
function withMore(one: Removed, other: Removed | undefined): Pick<Removed, 'seqs' | 'left'> {
  if (!other) return one
  const both = (table: keyof LeftRows) => unionOf([...one.left[table], ...other.left[table]])
  const left = { word: both('word'), list: both('list'), datum: both('datum') }
  return { seqs: [...one.seqs, ...other.seqs], left }
}

/** Bundles about a payload, and those that say that something was made from it: one or more, until their messages have so many bytes. */
const NAMING = `
  select seq from (
    select named.seq, sum(octet_length(message)) over (order by named.seq) - octet_length(message) as before
    from (
      select seq, evidence from alvarium.bundle where datum = $1::bigint
      union
      select bundle.seq, evidence from alvarium.edge join alvarium.bundle on bundle.datum = edge.child
      where edge.parent = $1::bigint
        and (previous = $1::bigint or implied = $1::bigint or inputs @> array[$1::bigint])
      order by seq limit $2::integer
    ) as named left join alvarium.evidence on evidence.seq = named.evidence
  ) as one where coalesce(before, 0) < $3::bigint order by seq`

/** Its number stays, as all numbers do. The digest of a text that can be guessed is as good as the text. */
const FORGET = 'update alvarium.datum set digest = $2::bytea, text = null where id = $1::bigint'
