import { toHex } from '../../foundation/base/bytes/hex.js'
import { join } from '../../foundation/base/bytes/join.js'
import type { Session } from '../database/database.js'
import { byteColumn, numberIn, rowsFromColumns, sparse } from '../rows/columns.js'
import { sha256All } from '../rows/payload-name.js'

export interface ReceivedMessage {
  readonly message: Uint8Array
  /** Time of receipt in milliseconds since 1970. */
  readonly receivedAt: number | undefined
  /** True if the message has exactly one bundle. If that bundle is new, so is the message. */
  readonly isSingle?: boolean | undefined
}

/**
 * Assigns sequence numbers to messages, and stores new messages. First looks up messages that may be batches:
 * the store may already have a batch, although one of its bundles is new to the store.
 */
export class MessageIds {
  readonly #seqs: ReadonlyMap<Uint8Array, number>
  readonly next: number

  private constructor(seqs: ReadonlyMap<Uint8Array, number>, next: number) {
    this.#seqs = seqs
    this.next = next
  }

  static async of(session: Session, messages: readonly ReceivedMessage[], from: number): Promise<MessageIds> {
    const evidence = [...new Map(messages.map((one) => [one.message, one])).values()]
    const digests = sha256All(evidence.map(({ message }) => message))
    const hashed = evidence.map(({ message, receivedAt, isSingle }, at): HashedMessage => {
      return { message, receivedAt, isSingle, digest: digests[at] as Uint8Array }
    })
    const seqs = await findMessages(
      session,
      hashed.filter(({ isSingle }) => !isSingle),
    )
    const added: HashedMessage[] = []
    const copies = new Map<Uint8Array | string, number>()
    for (const one of hashed.filter(({ message }) => !seqs.has(message))) {
      // Compare batches by digest, because several copies of a batch may arrive, each with other new bundles.
      const key = one.isSingle ? one.message : toHex(one.digest)
      const seq = copies.get(key) ?? from + added.push(one) - 1
      copies.set(key, seq)
      seqs.set(one.message, seq)
    }
    await addMessages(session, added, from)
    return new MessageIds(seqs, from + added.length)
  }

  seq({ message }: ReceivedMessage): number {
    return this.#seqs.get(message) as number
  }
}

interface HashedMessage extends ReceivedMessage {
  readonly digest: Uint8Array
}

async function findMessages(
  session: Session,
  hashedMessages: readonly HashedMessage[],
): Promise<Map<Uint8Array, number>> {
  if (hashedMessages.length === 0) return new Map()
  const digests = join(hashedMessages.map(({ digest }) => digest)).bytes
  const rows = await session.query(FIND_MESSAGES, [digests, hashedMessages.length])
  return new Map(
    rows.map((row) => [
      (hashedMessages[numberIn(row, 'place')] as HashedMessage).message,
      numberIn(row, 'seq'),
    ]),
  )
}

async function addMessages(
  session: Session,
  hashedMessages: readonly HashedMessage[],
  from: number,
): Promise<void> {
  if (hashedMessages.length === 0) return
  const digests = join(hashedMessages.map(({ digest }) => digest)).bytes
  const messages = byteColumn(hashedMessages.map(({ message }) => message))
  await session.query(ADD_MESSAGES, [
    from,
    digests,
    sparse(hashedMessages.map(receivedOf)),
    ...messages,
    hashedMessages.length,
  ])
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
