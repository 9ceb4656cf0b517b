import { AlvariumError, closed, expected, textOf } from '../../foundation/base/errors.js'
import type { Logger } from '../../foundation/base/logger.js'
import { TOO_LATE, within } from '../../foundation/base/time/timeout.js'
import type { ConnectionHandle, Connector, ReadConnection, Row, Session, Statement } from './connection.js'
import { lockHolder, needOf, stateOf } from './failure.js'
import { limitsOf, longLimitsOf, settings, type TimeLimits } from './limits.js'

export type { Session } from './connection.js'

export type StatementRows = readonly (readonly Row[])[]

export async function oneRow(session: Session, text: string, params?: unknown[]): Promise<Row> {
  const [row] = await session.query(text, params)
  return row as Row
}

/** Error classes for rows that a retry cannot store: data, integrity, limits (PostgreSQL, appendix A). */
const ROW_REFUSED = /^(22|23|54)/
/** Error class of two conflicting transactions (40001, 40P01). */
const CONFLICT = /^40/
/** Errors of `statement_timeout` and `lock_timeout`. */
const TIMED_OUT = /^(57014|55P03)$/
const MAX_TRIES = 5
/** Milliseconds after the time limit of a statement within which the server must report the timeout. */
const ANSWER_MS = 2_000

export class RefusedRow extends AlvariumError {
  constructor(cause: unknown) {
    super('STORE_FAILED', `store: expected values that the database accepts, got: ${textOf(cause)}`, {
      cause,
    })
  }
}

/** Runs one transaction at a time on one connection. Opens a lost connection again when it is next needed. */
export class Database {
  readonly #open: Connector
  readonly #queryTimeoutMs: number
  readonly #logger: Logger
  #opened: Promise<ConnectionHandle> | undefined
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false
  /** Number of answered statements, which shows `close` that the database still answers. */
  #answers = 0
  readonly #caches: { forget(): void }[] = []

  constructor(open: Connector, { queryTimeoutMs, logger }: { queryTimeoutMs: number; logger: Logger }) {
    this.#open = open
    this.#queryTimeoutMs = queryTimeoutMs
    this.#logger = logger
  }

  /** @throws AlvariumError `STREAM_CLOSED` */
  assertOpen(): void {
    if (this.#isClosed) throw closed('store', 'is closed')
  }

  clearOnConnect(...learned: readonly { forget(): void }[]): void {
    this.#caches.push(...learned)
  }

  /**
   * Runs a transaction that writes, and retries it after a conflict with another one.
   *
   * @param limits - time limits of the statements and locks
   * @throws RefusedRow for a row that the database refuses; any AlvariumError of `run` or of the connector;
   * AlvariumError `STREAM_CLOSED` if the store is closed, `STORE_FAILED` for everything else
   */
  write<T>(run: (session: Session) => Promise<T>, limits = limitsOf(this.#queryTimeoutMs)): Promise<T> {
    const begin = ['begin isolation level read committed', settings(limits)]
    return this.#exclusive((session) => inTransaction(session, begin, run), limits)
  }

  /** Runs a transaction of schema changes, which may rewrite whole tables. */
  writeAll<T>(run: (session: Session) => Promise<T>): Promise<T> {
    return this.write(run, longLimitsOf(this.#queryTimeoutMs))
  }

  /**
   * Runs a transaction that sees one state of the store. Each statement has the time limit of a query.
   *
   * @param first - statements that are sent together with `begin`; `run` gets the rows of each
   */
  read<T>(run: Run<T>, first: readonly Statement[] = []): Promise<T> {
    const limits = limitsOf(this.#queryTimeoutMs)
    const begin = [SNAPSHOT, settings(limits)]
    return this.#exclusive((session) => inTransaction(session, begin, run, first), limits)
  }

  /**
   * Reads whole tables, or a database that may not have a store yet. If the owner of the passed connection
   * has begun a transaction and written in it, the call reads inside that transaction.
   */
  readAll<T>(run: (session: Session) => Promise<T>, limits = longLimitsOf(this.#queryTimeoutMs)): Promise<T> {
    return this.#exclusive(async (session) => {
      const set = settings(limits)
      if (await hasWritten(session)) return inSavepoint(session, set, run)
      return inTransaction(session, [SNAPSHOT, set], run)
    }, limits)
  }

  /** Reads like {@link readAll}, with the limits of a query. */
  readBriefly<T>(run: (session: Session) => Promise<T>): Promise<T> {
    return this.readAll(run, limitsOf(this.#queryTimeoutMs))
  }

  /** Waits for calls in progress as long as the database answers. Then closes the connection. */
  async close(): Promise<void> {
    this.#isClosed = true
    const end = this.#last.then(() => this.#end())
    for (let before = -1; (await within(end, this.#limitMs)) === TOO_LATE; before = this.#answers) {
      const opened = await this.#opened?.catch(() => undefined)
      if (before === this.#answers) opened?.destroy?.(silenceError(this.#limitMs))
    }
  }

  async #end(): Promise<void> {
    const opened = await this.#opened?.catch(() => undefined)
    await opened?.close()
    this.#opened = undefined
  }

  get #limitMs(): number {
    return this.#queryTimeoutMs + ANSWER_MS
  }

  /** Calls a function when all earlier calls have ended. Ends the connection if a statement gets no answer in time. */
  #exclusive<T>(run: (session: Session) => Promise<T>, limits: TimeLimits): Promise<T> {
    const turn = this.#last.then(() => this.#run(run, limits))
    this.#last = turn.catch(() => undefined)
    return turn
  }

  async #run<T>(run: (session: Session) => Promise<T>, limits: TimeLimits): Promise<T> {
    this.assertOpen()
    for (let tries = 1; ; tries++) {
      try {
        return await run(this.#session(limits.statementMs))
      } catch (error) {
        if (!CONFLICT.test(stateOf(error)) || tries === MAX_TRIES) throw await this.#storeError(error, limits)
      }
    }
  }

  /** Returns a session that fails if its connection is lost, because a new one would not be in the transaction. */
  #session(statementMs: number): Session {
    let handle: Promise<ConnectionHandle> | undefined
    const ask = async <T>(timeoutMs: number, run: (connection: ReadConnection) => Promise<T>) => {
      handle ??= this.#opened ??= this.#connect()
      if (handle !== this.#opened) throw new Error('the connection was lost')
      return this.#waitForAnswer(await handle, timeoutMs, run)
    }
    return {
      query: async (text, params) => (await ask(statementMs, (to) => to.query(text, params))).rows,
      queryAll: (statements) => ask(this.#queryTimeoutMs, (to) => to.queryAll(statements)),
    }
  }

  async #waitForAnswer<T>(
    { connection, destroy }: ConnectionHandle,
    timeoutMs: number,
    run: (connection: ReadConnection) => Promise<T>,
  ): Promise<T> {
    const limitMs = timeoutMs + ANSWER_MS
    const timer = destroy && setTimeout(() => destroy(silenceError(limitMs)), limitMs)
    try {
      const answer = await run(connection)
      this.#answers++
      return answer
    } finally {
      if (timer) clearTimeout(timer)
    }
  }

  #connect(): Promise<ConnectionHandle> {
    for (const one of this.#caches) one.forget()
    const opening: Promise<ConnectionHandle> = this.#open((err) => {
      this.#logger.warn({ err }, 'the connection to the database was lost')
      if (this.#opened === opening) this.#opened = undefined
    })
    opening.catch(() => {
      if (this.#opened === opening) this.#opened = undefined
    })
    return opening
  }

  async #storeError(error: unknown, { statementMs, lockMs }: TimeLimits): Promise<unknown> {
    if (error instanceof AlvariumError) return error
    const state = stateOf(error)
    if (ROW_REFUSED.test(state)) return new RefusedRow(error)
    if (!TIMED_OUT.test(state)) return expected('STORE_FAILED', 'store', needOf(state), undefined, error)
    const holder = await lockHolder(this.#session(this.#queryTimeoutMs))
    const got = holder && `a lock that is held by ${holder}`
    const ms = state === LOCK_TIMEOUT ? lockMs : statementMs
    return expected('STORE_FAILED', 'store', `the database to answer within ${ms} ms`, got, error)
  }
}

const LOCK_TIMEOUT = '55P03'

function silenceError(limitMs: number): Error {
  return new Error(`nothing within ${limitMs} ms`)
}

const SNAPSHOT = 'begin isolation level repeatable read, read only'

async function hasWritten(session: Session): Promise<boolean> {
  const [row] = await session.query('select pg_catalog.pg_current_xact_id_if_assigned() is not null as has')
  return row?.['has'] === true
}

type Run<T> = (session: Session, found: StatementRows) => Promise<T>

async function inTransaction<T>(
  session: Session,
  begin: readonly string[],
  run: Run<T>,
  first: readonly Statement[] = [],
): Promise<T> {
  try {
    const found = await session.queryAll([...begin.map((text) => [text] as const), ...first])
    const result = await run(session, found.slice(begin.length))
    await session.query('commit')
    return result
  } catch (error) {
    // Ignore errors here, because a lost connection has ended the transaction, too.
    await session.query('rollback').catch(() => undefined)
    throw error
  }
}

async function inSavepoint<T>(
  session: Session,
  set: string,
  run: (session: Session) => Promise<T>,
): Promise<T> {
  await session.query('savepoint alvarium')
  try {
    await session.query(set)
    return await run(session)
  } finally {
    // Ignore errors here, because a lost connection has ended the transaction, too.
    await session.query('rollback to savepoint alvarium').catch(() => undefined)
  }
}
