import { isVerdict } from '../base/errors.js'
import { verifyTurns } from '../base/time/turns.js'
import type { LeaseBook, TakesLeases } from '../keys/trust-policy.js'
import { withTrusted } from '../verify/options.js'
import { KINDS } from './beside.js'
import { bytesIn, numberIfAny, numberIn, SMALLEST } from './columns.js'
import type { Row } from './connection.js'
import { oneRow, type Session } from './database.js'
import type { Reading } from './verifying.js'

/** Leases that are read together, of at most 64 KiB each. */
const TOGETHER = 64
/** Messages in lists of checkpoints, about 150 bytes each: those show that what came too late existed in time. */
const MOST_LOGGED = 1_000_000
/** Leases beyond those that the store had at first. After that, those that end first give way. */
const MOST_NEW = 10_000

/** The leases of a store that the current policy allows, and those that come. Without a policy there are none. */
export class StoreLeases {
  #book: LeaseBook | undefined
  /** By which policy they were read: another one may allow others. */
  #policy: TakesLeases | undefined
  /** The last that was read. Behind a pooler another server may answer, which has another lease in that place. */
  #last: { readonly seq: string; readonly mark: unknown } | undefined

  /** Reads those that were stored since the last call, too. */
  async read(session: Session, { keyring }: Reading): Promise<LeaseBook | undefined> {
    return withTrusted({ keyring }, async ({ leased }) => {
      if (!leased) return undefined
      if (leased !== this.#policy) this.#last = undefined
      this.#policy = leased
      this.#book ??= leased.newBook({ leases: (await countIn(session)) + MOST_NEW, logged: MOST_LOGGED })
      await this.#readOn(session, leased, this.#book)
      return this.#book
    })
  }

  async #readOn(session: Session, leased: TakesLeases, book: LeaseBook): Promise<void> {
    for (;;) {
      const rows = await session.query(SOME, [this.#last?.seq ?? SMALLEST, TOGETHER])
      if (this.#last && rows[0]?.['mark'] !== this.#last.mark) {
        this.#last = undefined
        continue
      }
      const others = this.#last ? rows.slice(1) : rows
      for (const one of others) await keep(one, leased, book)
      const last = others.at(-1)
      if (!last) return
      this.#last = { seq: String(last['seq']), mark: last['mark'] }
    }
  }

  /** All are read again: another database has others. */
  forget(): void {
    this.#last = undefined
  }

  /** Gives the core's memory back. */
  close(): void {
    this.#book?.close()
  }
}

async function countIn(session: Session): Promise<number> {
  return numberIn(await oneRow(session, COUNT), 'count')
}

/** Ignores a lease that does not verify. */
async function keep(row: Row, leased: TakesLeases, book: LeaseBook): Promise<void> {
  await verifyTurns.take()
  try {
    await leased.keep(bytesIn(row, 'message'), book, numberIfAny(row, 'received'))
  } catch (error) {
    if (!isVerdict(error)) throw error
  }
}

const COUNT = `select count(*) as count from alvarium.beside where kind = ${KINDS.indexOf('lease')}`

const SOME = `
  select seq::text as seq, encode(digest, 'hex') || coalesce(received::text, '') as mark, received, message from alvarium.beside
  where kind = ${KINDS.indexOf('lease')} and seq >= $1::text::bigint order by beside.seq limit $2::integer`
