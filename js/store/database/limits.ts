/** Time limits of a transaction, in milliseconds, which the server enforces. */
export interface TimeLimits {
  /** Limit of each statement. */
  readonly statementMs: number
  /** Limit of each wait for a lock that another session holds. */
  readonly lockMs: number
  /** Limit of the time between two statements: a frozen process loses its transaction, and with it its locks. */
  readonly idleMs: number
}

/** Limit of statements that read or rewrite whole tables: those of an audit, and steps of the schema. */
const MAX_STATEMENT_MS = 3_600_000
/** Minimum idle time: a busy process may be slow to send its next statement. */
const MIN_IDLE_MS = 1_000

/**
 * Returns the limits of questions, and of calls that store or remove. A session that waits for a frozen process outlasts that process's
 * transaction.
 */
export function limitsOf(queryTimeoutMs: number): TimeLimits {
  const idleMs = Math.max(MIN_IDLE_MS, Math.ceil(queryTimeoutMs / 2))
  return { statementMs: queryTimeoutMs, lockMs: queryTimeoutMs, idleMs }
}

/** Returns the limits of an audit, and of steps of the schema. The limit for locks is the same as elsewhere. */
export function longLimitsOf(queryTimeoutMs: number): TimeLimits {
  return { statementMs: MAX_STATEMENT_MS, lockMs: queryTimeoutMs, idleMs: MAX_STATEMENT_MS }
}

/**
 * Returns a statement that sets, for one transaction, the settings that all statements here expect. With `search_path`, names of functions and
 * operators mean those of PostgreSQL: an owner could have put others before them, which would run with the rights of the reader.
 */
export function settings({ statementMs, lockMs, idleMs }: TimeLimits): string {
  const values = {
    search_path: 'pg_catalog',
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleMs,
    standard_conforming_strings: 'on',
    array_nulls: 'on',
    bytea_output: 'hex',
    // Otherwise an index of lists may return only some of its rows.
    gin_fuzzy_search_limit: 0,
  }
  const set = Object.entries(values).map(
    ([name, value]) => `pg_catalog.set_config('${name}', '${value}', true)`,
  )
  return `select ${set.join(', ')}`
}
