import { isVerdict } from '../base/errors.js'
import { verifyTurns } from '../base/time/turns.js'
import type { LeaseBook, Trusting } from '../keys/trust-policy.js'
import { withTrusted } from '../verify/options.js'
import { KINDS } from './beside.js'
import { bytesIn, numberIn, SMALLEST } from './columns.js'
import type { Row } from './connection.js'
import type { Session } from './database.js'
import type { Reading } from './verifying.js'

/** Leases that are read together, of at most 64 KiB each. */
const TOGETHER = 64
/** Of what checkpoints list, about 150 bytes each: what came too late lies in them. */
const MOST_LOGGED = 1_000_000

/** The leases that a store has, as far as the policy of today allows them; none for keys alone. Whoever asks closes it. */
export async function keptLeases(session: Session, { keyring }: Reading): Promise<LeaseBook | undefined> {
  return withTrusted({ keyring }, async ({ leased }) => {
    if (!leased) return undefined
    const [row] = await session.query(COUNT)
    const book = leased.newBook({ leases: numberIn(row as Row, 'count') + 1, logged: MOST_LOGGED })
    for (let after = SMALLEST; ; ) {
      const rows = await session.query(SOME, [after, TOGETHER])
      for (const one of rows) await keep(bytesIn(one, 'message'), leased, book)
      if (rows.length < TOGETHER) return book
      after = String((rows.at(-1) as Row)['seq'])
    }
  })
}

/** One that is not good says nothing. */
async function keep(
  lease: Uint8Array,
  leased: NonNullable<Trusting['leased']>,
  book: LeaseBook,
): Promise<void> {
  await verifyTurns.take()
  try {
    await leased.keep(lease, book)
  } catch (error) {
    if (!isVerdict(error)) throw error
  }
}

const COUNT = `select count(*) as count from alvarium.beside where kind = ${KINDS.indexOf('lease')}`

const SOME = `
  select seq::text as seq, message from alvarium.beside
  where kind = ${KINDS.indexOf('lease')} and seq > $1::text::bigint order by seq limit $2::integer`
