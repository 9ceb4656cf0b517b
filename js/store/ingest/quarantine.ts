import { digestAll } from '../../foundation/core/hashing.js'
import type { Row } from '../database/connection.js'
import { oneRow, type Session } from '../database/database.js'
import { assertStored } from '../rows/assert-stored.js'
import { byteColumn, numberIn, numbers } from '../rows/columns.js'
import { lockHead } from './add-entries.js'
import { type ReceivedMessage, receivedIn, receivedOf } from './message-ids.js'
import type { Refusal } from './verify-all.js'

export interface QuarantineLimits {
  readonly maxBytes: number
  readonly maxDays: number
}

const DAY_MS = 86_400_000
/** Milliseconds by which the oldest message may exceed `maxDays`. Searching for old messages reads all of them. */
const DROP_DELAY_MS = 3_600_000
const MAX_REASON_CHARS = 1000
/** Share of `maxBytes` that remains when a full quarantine drops messages. Dropping is slow: it sums all sizes. */
const LEFT_WHEN_FULL = 7 / 8

/** Messages from unknown signers, or with rows that PostgreSQL refused. No query of the store returns them. */
export class Quarantine {
  readonly #limits: QuarantineLimits

  constructor(limits: QuarantineLimits) {
    this.#limits = limits
  }

  /** Quarantines messages. Drops the oldest if it is full. The caller must hold the lock on `alvarium.head`. */
  async keep(session: Session, given: readonly Refusal[]): Promise<void> {
    // Take the first of two copies, because its time of receipt is earlier.
    const messages = [...new Map([...given].reverse().map((one) => [one.message, one])).values()].reverse()
    const head = await oneRow(session, HEAD)
    const [first, bytes] = [numberIn(head, 'quarantined'), numberIn(head, 'quarantined_bytes')]
    const digests = digestAll(messages.map(({ message }) => message))
    const added = await session.query(KEEP, [
      ...[first, Date.now(), digests],
      numbers(messages.map(receivedOf)),
      JSON.stringify(messages.map(({ error }) => [error.code, storableText(error.message)])),
      ...byteColumn(messages.map(({ message }) => message)),
    ])
    await assertStored(session, 'quarantine.digest', digests)
    await this.#fit(session, first + messages.length, bytes + sizeOf(added))
  }

  async #fit(session: Session, next: number, bytes: number): Promise<void> {
    const { maxBytes } = this.#limits
    let left = bytes - sizeOf(await this.#dropOld(session))
    if (left > maxBytes) left -= sizeOf(await session.query(DROP, [Math.floor(LEFT_WHEN_FULL * maxBytes)]))
    await session.query(SET_COUNTS, [next, left])
  }

  /**
   * Drops messages older than `maxDays`. The caller must hold the lock on `alvarium.head`.
   *
   * @returns the number of dropped messages
   */
  async dropOld(session: Session): Promise<number> {
    const rows = await this.#dropOld(session)
    if (rows.length > 0) await session.query(SUBTRACT_BYTES, [sizeOf(rows)])
    return rows.length
  }

  async #dropOld(session: Session): Promise<readonly Row[]> {
    const before = Date.now() - this.#limits.maxDays * DAY_MS
    const [oldest] = await session.query(OLDEST)
    if (oldest === undefined || numberIn(oldest, 'since') >= before - DROP_DELAY_MS) return []
    return session.query(DROP_OLD, [before])
  }

  async page(
    session: Session,
    after: number,
  ): Promise<{ readonly last: number; readonly messages: ReceivedMessage[] }> {
    const rows = await session.query(SELECT_PAGE, [after])
    const last = rows.at(-1)
    return { last: last ? numberIn(last, 'seq') : after, messages: rows.map(receivedIn) }
  }

  /** Removes messages that were stored or rejected. The caller must hold the lock on `alvarium.head`. */
  async release(session: Session, messages: readonly Uint8Array[]): Promise<void> {
    if (messages.length === 0) return
    const digests = digestAll(messages)
    const rows = await session.query(RELEASE, [digests, messages.length])
    await session.query(SUBTRACT_BYTES, [sizeOf(rows)])
  }
}

/** Drops messages received or quarantined before a time, in milliseconds since 1970. @returns their number */
export async function dropOlder(session: Session, before: number): Promise<number> {
  await lockHead(session)
  const rows = await session.query(DROP_OLDER, [before])
  await session.query(SUBTRACT_BYTES, [sizeOf(rows)])
  return rows.length
}

function sizeOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + numberIn(row, 'size'), 0)
}

/** Shortens an error text, and replaces the characters that PostgreSQL cannot store. */
function storableText(reason: string): string {
  const utf8 = new TextEncoder().encode(reason.slice(0, MAX_REASON_CHARS))
  return new TextDecoder().decode(utf8).replaceAll('\0', '\uFFFD')
}

const KEEP = `
  insert into alvarium.quarantine (seq, since, digest, received, code, reason, size, message)
  select $1::bigint + row - 1, $2::bigint, substring($3::bytea from 32 * (row::integer - 1) + 1 for 32), received,
    reason ->> 0, reason ->> 1, length, substring($6::bytea from start for length)
  from rows from (
    unnest($4::text::bigint[], $7::text::integer[], $8::text::integer[]),
    jsonb_array_elements($5::text::jsonb)
  ) with ordinality as given (received, start, length, reason, row)
  on conflict (digest) do nothing
  returning size`

const DROP = `
  delete from alvarium.quarantine where seq <= (
    select max(seq) from (
      select seq, sum(size) over (order by seq desc) as bytes from alvarium.quarantine
    ) as newest where bytes > $1::bigint
  ) returning size`

const HEAD = 'select quarantined, quarantined_bytes from alvarium.head'
const OLDEST = 'select since from alvarium.quarantine order by seq limit 1'
const DROP_OLD = 'delete from alvarium.quarantine where since < $1::bigint returning size'

const DROP_OLDER =
  'delete from alvarium.quarantine where coalesce(received, since) < $1::bigint returning size'

const SET_COUNTS = 'update alvarium.head set quarantined = $1::bigint, quarantined_bytes = $2::bigint'
const SUBTRACT_BYTES = 'update alvarium.head set quarantined_bytes = quarantined_bytes - $1::bigint'

const SELECT_PAGE = `
  select seq, received, message from alvarium.quarantine
  where seq > $1::bigint order by seq limit 64`

const RELEASE = `
  delete from alvarium.quarantine using generate_series(0, $2::integer - 1) as given (place)
  where digest = substring($1::bytea from 32 * place + 1 for 32) returning size`
