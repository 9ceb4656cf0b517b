import type { Codec } from '../../transport/codecs/codec.js'
import { extractBundles } from '../../verifying/verify/extract.js'
import { oneRow, type Session } from '../database/database.js'
import { Messages } from '../ingest/add-entries.js'
import { bytesIn, numberIn, numbers, optionalNumberIn } from '../rows/columns.js'
import { groupsOf } from '../rows/groups.js'
import type { Remaining } from './remove.js'

/**
 * Gives bundles of batches a message each, with its inclusion proof, so that the batches can be removed. The head must be locked.
 *
 * @throws AlvariumError `MESSAGE_MALFORMED`, `CODEC_FAILED` for messages that this store's codec cannot read
 */
export async function extractRemaining(
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
  const taken: { readonly seq: number; readonly message: Uint8Array }[] = []
  let place = 0
  for await (const message of extractBundles(bytesIn(row, 'message'), codec && { codec })) {
    const seq = seqs.get(place++)
    if (seq !== undefined) taken.push({ seq, message })
  }
  const some = taken.map(({ message }) => ({ message, receivedAt }))
  const messages = await Messages.of(session, some, numberIn(row, 'next'))
  await session.query(MOVE, [
    numbers(taken.map(({ seq }) => seq)),
    numbers(some.map((one) => messages.seq(one))),
  ])
  await session.query('update alvarium.head set evidence = $1::bigint', [messages.next])
}

const BATCH = `
  select received, message, head.evidence as next from alvarium.evidence cross join alvarium.head where seq = $1::bigint`
const MOVE = `
  update alvarium.bundle set evidence = given.evidence, place = 0
  from unnest($1::text::bigint[], $2::text::bigint[]) as given (seq, evidence) where bundle.seq = given.seq`
