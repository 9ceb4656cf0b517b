import { isVerdict } from '../../foundation/base/errors.js'
import { verifyTurns } from '../../foundation/base/time/turns.js'
import type { LeaseBook, LeaseTrust } from '../../signing/keys/trust-policy.js'
import { withTrusted } from '../../verifying/verify/options.js'
import type { Row } from '../database/connection.js'
import { oneRow, type Session } from '../database/database.js'
import { bytesIn, MIN_BIGINT, numberIn, optionalNumberIn } from '../rows/columns.js'
import { LEASE } from './control-messages.js'
import type { VerifySettings } from './verify-all.js'

/** Leases per page. A lease is at most 64 KiB long. */
const LEASES_PER_PAGE = 64
/** Limit of messages in cached checkpoints, about 150 bytes each. They can keep messages valid after a lease ends. */
const MAX_LISTED_MESSAGES = 1_000_000
/** Number of leases that the cache accepts after the first read. Beyond it, the leases that end first are dropped. */
const MAX_NEW_LEASES = 10_000

/** Caches the stored leases that the current policy permits. Without a policy there are none. */
export class StoreLeases {
  #book: LeaseBook | undefined
  #policy: LeaseTrust | undefined
  /**
   * Last lease that was read. Behind a connection pooler, another server may have another lease with this
   * `seq`. `mark`, made from the lease's digest and time of receipt, shows such a difference.
   */
  #last: { readonly seq: string; readonly mark: unknown } | undefined

  /** Reads leases stored since the last call, and returns all cached leases. */
  async read(session: Session, { keyring }: VerifySettings): Promise<LeaseBook | undefined> {
    return withTrusted({ keyring }, async ({ leased }) => {
      if (!leased) return undefined
      if (leased !== this.#policy) this.#last = undefined
      this.#policy = leased
      if (!this.#book) {
        const leases = numberIn(await oneRow(session, COUNT), 'count') + MAX_NEW_LEASES
        this.#book = leased.newBook({ leases, logged: MAX_LISTED_MESSAGES })
      }
      await this.#readOn(session, leased, this.#book)
      return this.#book
    })
  }

  async #readOn(session: Session, leased: LeaseTrust, book: LeaseBook): Promise<void> {
    for (;;) {
      const rows = await session.query(SELECT_LEASES, [this.#last?.seq ?? MIN_BIGINT, LEASES_PER_PAGE])
      if (this.#last && rows[0]?.['mark'] !== this.#last.mark) {
        this.#last = undefined
        continue
      }
      const others = this.#last ? rows.slice(1) : rows
      for (const one of others) await addLease(one, leased, book)
      const last = others.at(-1)
      if (!last) return
      this.#last = { seq: String(last['seq']), mark: last['mark'] }
    }
  }

  /** Makes the next `read` read all leases, because a new connection may lead to a database with other leases. */
  forget(): void {
    this.#last = undefined
  }

  close(): void {
    this.#book?.close()
  }
}

async function addLease(row: Row, leased: LeaseTrust, book: LeaseBook): Promise<void> {
  await verifyTurns.yieldIfDue()
  try {
    await leased.addLease(bytesIn(row, 'message'), book, optionalNumberIn(row, 'received'))
  } catch (error) {
    if (!isVerdict(error)) throw error
  }
}

const COUNT = `select count(*) as count from alvarium.beside where kind = ${LEASE}`

const SELECT_LEASES = `
  select seq::text as seq, encode(digest, 'hex') || coalesce(received::text, '') as mark, received, message from alvarium.beside
  where kind = ${LEASE} and seq >= $1::text::bigint order by beside.seq limit $2::integer`
