/** Time limits of a transaction, in milliseconds. The server enforces them. */
export interface TimeLimits {
  readonly statementMs: number
  readonly lockMs: number
  /** Limit of the time between two statements, after which a frozen process loses its transaction and locks. */
  readonly idleMs: number
}

/** Limit for statements that read or rewrite whole tables, as in an audit or a schema change. */
const MAX_STATEMENT_MS = 3_600_000
/** Minimum of `idleMs`, because a busy process may be slow to send its next statement. */
const MIN_IDLE_MS = 1_000

/**
 * Returns the time limits of queries, and of calls that store or remove. The server ends the transaction of a
 * frozen process before sessions that wait for its lock give up, unless `lockMs` is very low.
 */
export function limitsOf(queryTimeoutMs: number): TimeLimits {
  const idleMs = Math.max(MIN_IDLE_MS, Math.ceil(queryTimeoutMs / 2))
  return { statementMs: queryTimeoutMs, lockMs: queryTimeoutMs, idleMs }
}

/** Returns the time limits of an audit and of schema changes. `lockMs` is as in {@link limitsOf}. */
export function longLimitsOf(queryTimeoutMs: number): TimeLimits {
  return { statementMs: MAX_STATEMENT_MS, lockMs: queryTimeoutMs, idleMs: MAX_STATEMENT_MS }
}

/**
 * Returns a statement that sets the settings for one transaction. Without `search_path`, the owner of the
 * database could shadow PostgreSQL's functions, and run code with the rights of the reader.
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
    // With a value above 0, PostgreSQL may return only some of the matching rows of an index on lists.
    gin_fuzzy_search_limit: 0,
  }
  const set = Object.entries(values).map(
    ([name, value]) => `pg_catalog.set_config('${name}', '${value}', true)`,
  )
  return `select ${set.join(', ')}`
}
