import { AlvariumError, closed, expected, textOf } from '../base/errors.js'
import type { Logger } from '../base/logger.js'
import { TOO_LATE, within } from '../base/time/timeout.js'
import type { Opened, Opening, Row } from './connection.js'

/** Runs statements on one connection, one after the other. */
export interface Session {
  query(text: string, params?: unknown[]): Promise<readonly Row[]>
}

/** The row of a statement that always has one. */
export async function oneRow(session: Session, text: string, params?: unknown[]): Promise<Row> {
  const [row] = await session.query(text, params)
  return row as Row
}

/** PostgreSQL, appendix A: a row cannot be stored as it is (data exceptions, integrity, program limits). Trying again does not help. */
const OF_ROWS = /^(22|23|54)/
/** Two transactions were in each other's way (40001, 40P01). */
const OF_RIVALS = /^40/
/** `statement_timeout`. */
const TOO_LONG = '57014'
const MOST_TRIES = 5
/** Within so many more, a server that works has said that a statement took too long. */
const ANSWER_MS = 2_000

/** A row that the database refuses, whatever is tried. */
export class RefusedRow extends AlvariumError {
  constructor(cause: unknown) {
    super('STORE_FAILED', `store: expected what the database takes, got: ${textOf(cause)}`, { cause })
  }
}

/** One connection, for one transaction at a time. A lost connection is opened again when it is next needed. */
export class Database {
  readonly #open: Opening
  readonly #queryTimeoutMs: number
  readonly #logger: Logger
  #opened: Promise<Opened> | undefined
  /** Whoever is last in the queue. */
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false
  /** How many statements were answered. */
  #answers = 0
  /** What is remembered of it. */
  readonly #learned: { forget(): void }[] = []

  constructor(open: Opening, { queryTimeoutMs, logger }: { queryTimeoutMs: number; logger: Logger }) {
    this.#open = open
    this.#queryTimeoutMs = queryTimeoutMs
    this.#logger = logger
  }

  /** @throws AlvariumError `STREAM_CLOSED` */
  assertOpen(): void {
    if (this.#isClosed) throw closed('store', 'it is closed')
  }

  /** Another connection may lead to another database: a replica without the last transactions, or a backup. */
  forgetWithConnection(...learned: readonly { forget(): void }[]): void {
    this.#learned.push(...learned)
  }

  /**
   * Runs alone on the connection, outside of a transaction.
   *
   * @param isLimited - whether a connection is ended on which a statement is not answered in time
   */
  exclusive<T>(run: (session: Session) => Promise<T>, isLimited = false): Promise<T> {
    const turn = this.#last.then(() => this.#run(run, isLimited))
    this.#last = turn.catch(() => undefined)
    return turn
  }

  /**
   * A transaction that changes something; once more if it was in somebody's way.
   *
   * @throws RefusedRow for a row that the database refuses; AlvariumError `STORE_FAILED` for everything else
   */
  write<T>(run: (session: Session) => Promise<T>): Promise<T> {
    const begin = ['begin isolation level read committed', settings(0)]
    return this.exclusive((session) => inTransaction(session, begin, run))
  }

  /** A transaction that sees one state of the store, and may not take longer for a statement than a query. */
  read<T>(run: (session: Session) => Promise<T>): Promise<T> {
    return this.exclusive((session) => inTransaction(session, snapshot(this.#queryTimeoutMs), run), true)
  }

  /** The same, in which a statement may take any time. Where whoever gave the connection is in a transaction of their own, and has changed something there, it is a part of that one. */
  readAll<T>(run: (session: Session) => Promise<T>): Promise<T> {
    return this.exclusive(async (session) =>
      (await hasWritten(session)) ? inSavepoint(session, run) : inTransaction(session, snapshot(0), run),
    )
  }

  /** Waits for what is running while the database answers. */
  async close(): Promise<void> {
    this.#isClosed = true
    const end = this.#last.then(() => this.#end())
    for (let before = -1; (await within(end, this.#limitMs)) === TOO_LATE; before = this.#answers) {
      const opened = await this.#opened?.catch(() => undefined)
      if (before === this.#answers) opened?.destroy?.(this.#silence())
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

  #silence(): Error {
    return new Error(`nothing within ${this.#limitMs} ms`)
  }

  async #run<T>(run: (session: Session) => Promise<T>, isLimited: boolean): Promise<T> {
    this.assertOpen()
    for (let tries = 1; ; tries++) {
      try {
        return await run(this.#session(isLimited))
      } catch (error) {
        if (!OF_RIVALS.test(stateOf(error)) || tries === MOST_TRIES) throw this.#told(error)
      }
    }
  }

  /** All of it on one connection: on another one, the rest of a transaction would be in none. */
  #session(isLimited: boolean): Session {
    let own: Promise<Opened> | undefined
    return {
      query: async (text, params) => {
        own ??= this.#opened ??= this.#connect()
        if (own !== this.#opened) throw new Error('the connection was lost')
        const { connection, destroy } = await own
        // To begin, nobody waits for anybody else.
        const isAnswered = isLimited || text.startsWith('begin')
        const timer = isAnswered && destroy && setTimeout(() => destroy(this.#silence()), this.#limitMs)
        try {
          const { rows } = await connection.query(text, params)
          this.#answers++
          return rows as readonly Row[]
        } finally {
          if (timer) clearTimeout(timer)
        }
      },
    }
  }

  #connect(): Promise<Opened> {
    for (const one of this.#learned) one.forget()
    const opening: Promise<Opened> = this.#open((err) => {
      this.#logger.warn({ err }, 'the connection to the database was lost')
      if (this.#opened === opening) this.#opened = undefined
    })
    opening.catch(() => {
      if (this.#opened === opening) this.#opened = undefined
    })
    return opening
  }

  #told(error: unknown): unknown {
    if (error instanceof AlvariumError) return error
    const state = stateOf(error)
    if (OF_ROWS.test(state)) return new RefusedRow(error)
    const what =
      state === TOO_LONG
        ? `the database to answer within ${this.#queryTimeoutMs} ms`
        : 'the database to answer'
    return expected('STORE_FAILED', 'store', what, undefined, error)
  }
}

const snapshot = (timeoutMs: number) => [
  'begin isolation level repeatable read, read only',
  settings(timeoutMs),
]

/**
 * Returns the statement that sets, for one transaction, the settings that all statements here expect. With `search_path`, names of functions and operators
 * mean those of PostgreSQL: an owner could have put others before them, which would run with the rights of the reader.
 */
const settings = (timeoutMs: number) => {
  const values = {
    search_path: 'pg_catalog',
    statement_timeout: timeoutMs,
    standard_conforming_strings: 'on',
    array_nulls: 'on',
    bytea_output: 'hex',
    // Else an index of lists may give some of its rows only.
    gin_fuzzy_search_limit: 0,
  }
  const set = Object.entries(values).map(
    ([name, value]) => `pg_catalog.set_config('${name}', '${value}', true)`,
  )
  return `select ${set.join(', ')}`
}

/** Whether the connection is in a transaction that has changed something: of all others, nothing can be lost. */
async function hasWritten(session: Session): Promise<boolean> {
  const [row] = await session.query('select pg_catalog.pg_current_xact_id_if_assigned() is not null as has')
  return row?.['has'] === true
}

async function inTransaction<T>(
  session: Session,
  begin: readonly string[],
  run: (session: Session) => Promise<T>,
): Promise<T> {
  try {
    for (const statement of begin) await session.query(statement)
    const result = await run(session)
    await session.query('commit')
    return result
  } catch (error) {
    // With the connection, the transaction is gone too.
    await session.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Reads inside the caller's transaction, and leaves its settings unchanged. */
async function inSavepoint<T>(session: Session, run: (session: Session) => Promise<T>): Promise<T> {
  await session.query('savepoint alvarium')
  try {
    await session.query(settings(0))
    return await run(session)
  } finally {
    // With the connection, the transaction is gone too.
    await session.query('rollback to savepoint alvarium').catch(() => undefined)
  }
}

function stateOf(error: unknown): string {
  const code: unknown = Object(error)['code']
  return typeof code === 'string' ? code : ''
}
