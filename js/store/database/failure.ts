import { quote } from '../../foundation/base/text/text.js'
import type { Row, Session } from './connection.js'

/**
 * Selects a session that others may wait for. It has an advisory lock in this database, or more than a read
 * lock on a table of the store, and waits for no lock itself. The server shows the state of other users'
 * sessions only to members of `pg_read_all_stats`.
 */
const FIND = `
  select activity.pid, application_name, usename::text as usename, state,
    to_char(xact_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
  from pg_catalog.pg_stat_activity as activity
  where activity.pid <> pg_catalog.pg_backend_pid() and exists (
    select from pg_catalog.pg_locks as held left join pg_catalog.pg_class on pg_class.oid = held.relation
    where held.pid = activity.pid and held.granted and held.database = activity.datid
      and activity.datname = pg_catalog.current_database()
      and (held.locktype = 'advisory' or held.mode <> 'AccessShareLock'
        and pg_class.relnamespace = pg_catalog.to_regnamespace('alvarium')::oid)
  ) and not exists (select from pg_catalog.pg_locks as asked where asked.pid = activity.pid and not asked.granted)
  order by xact_start limit 1`

export async function lockHolder(session: Session): Promise<string | undefined> {
  const [row] = await session.query(FIND).catch(() => [])
  return row && sessionText(row)
}

function sessionText({ pid, application_name: name, usename, state, since }: Row): string {
  const details = [
    ...(name ? [`application ${quote(String(name))}`] : []),
    ...(usename ? [`user ${quote(String(usename))}`] : []),
    ...(state ? [String(state)] : []),
    ...(since ? [`in a transaction since ${since}`] : []),
  ]
  return [`process ${pid} of the server`, ...details].join(', ')
}

/** Says what the store needs, by the code of a PostgreSQL error (PostgreSQL, appendix A). */
export function needOf(state: string): string {
  if (state === '53100') return 'free space on the disk of the database'
  if (state === '53300') return 'a free connection to the database'
  if (state.startsWith('53')) return 'a database with enough memory and disk'
  if (state === '42501') return 'a role with the privileges for this statement'
  if (state === '25006') return 'a database that can be written, and no replica'
  if (state === '25P03')
    return 'the next statement of the transaction in time: the process was frozen or busy'
  if (state === '3D000') return 'the name of a database that exists'
  if (state.startsWith('28')) return 'a user and password that the database accepts'
  return /^(?!08|57P)[\dA-Z]{5}$/.test(state)
    ? 'the database to execute the statement'
    : 'the database to answer'
}

export function stateOf(error: unknown): string {
  const code: unknown = Object(error)['code']
  return typeof code === 'string' ? code : ''
}
