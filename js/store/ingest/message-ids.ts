import { toHex } from '../../foundation/base/bytes/hex.js'
import { join } from '../../foundation/base/bytes/join.js'
import type { Row, Session } from '../database/connection.js'
import { byteColumn, bytesIn, numberIn, optionalNumberIn, rowsFromColumns, sparse } from '../rows/columns.js'
import { sha256All } from '../rows/payload-name.js'

export interface ReceivedMessage {
  readonly message: Uint8Array
  /** Time of receipt in milliseconds since 1970. */
  readonly receivedAt: number | undefined
  /** True if the message has exactly one bundle. If that bundle is new, so is the message. */
  readonly isSingle?: boolean | undefined
}

/** Reads a message from the columns `message` and `received`. */
export function receivedIn(row: Row): ReceivedMessage {
  return { message: bytesIn(row, 'message'), receivedAt: optionalNumberIn(row, 'received') }
}

/** Sequence numbers of messages, by the object of each message, and the next unused number. */
export interface MessageIds {
  readonly seqs: ReadonlyMap<Uint8Array, number>
  readonly next: number
}

/**
 * Assigns numbers to messages, and stores new messages. Looks up messages that may be batches: the store may
 * already have a batch, although one of its bundles is new. `from` is the next unused number.
 */
export async function addMessages(
  session: Session,
  messages: readonly ReceivedMessage[],
  from: number,
): Promise<MessageIds> {
  const evidence = [...new Map(messages.map((one) => [one.message, one])).values()]
  const digests = sha256All(evidence.map(({ message }) => message))
  const hashed = evidence.map(({ message, receivedAt, isSingle }, at): HashedMessage => {
    return { message, receivedAt, isSingle, digest: digests[at] as Uint8Array }
  })
  const mayBeBatches = hashed.filter(({ isSingle }) => !isSingle)
  const seqs = await findMessages(session, mayBeBatches)
  const added: HashedMessage[] = []
  const copies = new Map<Uint8Array | string, number>()
  for (const one of hashed.filter(({ message }) => !seqs.has(message))) {
    // Compare batches by digest, because several copies of a batch may arrive, each with other new bundles.
    const key = one.isSingle ? one.message : toHex(one.digest)
    const seq = copies.get(key) ?? from + added.push(one) - 1
    copies.set(key, seq)
    seqs.set(one.message, seq)
  }
  if (added.length > 0) await insertMessages(session, added, from)
  return { seqs, next: from + added.length }
}

interface HashedMessage extends ReceivedMessage {
  readonly digest: Uint8Array
}

async function findMessages(
  session: Session,
  given: readonly HashedMessage[],
): Promise<Map<Uint8Array, number>> {
  if (given.length === 0) return new Map()
  const digests = join(given.map(({ digest }) => digest)).bytes
  const rows = await session.query(FIND_MESSAGES, [digests, given.length])
  const messageIn = (row: Row) => (given[numberIn(row, 'place')] as HashedMessage).message
  return new Map(rows.map((row) => [messageIn(row), numberIn(row, 'seq')]))
}

async function insertMessages(
  session: Session,
  given: readonly HashedMessage[],
  from: number,
): Promise<void> {
  const digests = join(given.map(({ digest }) => digest)).bytes
  const messages = byteColumn(given.map(({ message }) => message))
  const received = sparse(given.map(receivedOf))
  await session.query(ADD_MESSAGES, [from, digests, received, ...messages, given.length])
}

/** Returns the time of receipt in whole milliseconds, rounded down, because a later time could fail verification. */
export function receivedOf({ receivedAt }: ReceivedMessage): number | undefined {
  return receivedAt === undefined ? undefined : Math.floor(receivedAt)
}

/** SQL condition that excludes messages which begin like a single bundle of this SDK (see `isSpelledSingle`). */
export const MAY_BE_BATCH = `
  substring(message from 1 for 75) not like '{"action":"%","messageType":"alvarium.AnnotationBundle/1","content":{%'`

const FIND_MESSAGES = `
  select seq, place from generate_series(0, $2::integer - 1) as given (place)
  cross join lateral (
    select seq from alvarium.evidence where digest = substring($1::bytea from 32 * place + 1 for 32) and ${MAY_BE_BATCH} offset 0
  ) as evidence`

const ADD_MESSAGES = `
  insert into alvarium.evidence (seq, digest, received, message)
  select $1::bigint + row - 1, substring($2::bytea from 32 * (row - 1) + 1 for 32), received[row],
    substring($4::bytea from start[row] for length[row])
  from ${rowsFromColumns(
    'generate_series(1, $7::integer) as row',
    '$3::text::bigint[] as received, $5::text::integer[] as start, $6::text::integer[] as length',
  )}`
