import { AlvariumError, describe, expected } from '../base/errors.js'
import { hasMethods, shownUrl } from '../base/options/schema.js'
import { urlIn } from '../base/text/text.js'

/** A row as a database returns it. */
export type Row = Readonly<Record<string, unknown>>

/**
 * One connection to PostgreSQL: a `Client` of `pg` that is connected, what `pool.connect()` returns, or a `PGlite`. A store begins and ends
 * transactions in it, so nobody else may use it.
 */
export interface Connection {
  /** Runs one statement. */
  query(text: string, params?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** A connection, and who closes it. */
export interface Opened {
  readonly connection: Connection
  close(): Promise<unknown>
}

/** How connections are opened that are not given, and what is told when one is lost. */
export type Opening = (lost: (error: unknown) => void) => Promise<Opened>

/** In memory, by PGlite. */
const MEMORY = 'memory:'

/**
 * @returns what opens a connection, once more whenever one was lost
 * @throws AlvariumError `CONFIG_INVALID`
 */
export function openingOf(given: Connection | string): Opening {
  if (typeof given !== 'string') return openingGiven(given)
  if (given === MEMORY) return openMemory
  const protocol = urlIn(given)?.protocol
  if (protocol === 'postgres:' || protocol === 'postgresql:') return (lost) => openUrl(given, lost)
  throw expected(
    'CONFIG_INVALID',
    'store',
    `a connection, a URL that begins with postgres://, or ${MEMORY}`,
    shownUrl(given),
  )
}

/** Another one would not be the one that was given: what is lost stays lost. */
function openingGiven(connection: Connection): Opening {
  if (isPool(connection)) {
    const got = 'a Pool, whose statements go to several connections'
    throw expected('CONFIG_INVALID', 'store', 'one connection: await pool.connect()', got)
  }
  if (!hasMethods(connection, 'query')) {
    throw expected('CONFIG_INVALID', 'store', 'a connection with query(), or a URL', describe(connection))
  }
  return async () => ({ connection, close: async () => undefined })
}

/** What a Pool of `pg` has, and no client of one. */
function isPool(value: object): boolean {
  return ['totalCount', 'idleCount', 'waitingCount'].every((name) => name in Object(value))
}

async function openUrl(connectionString: string, lost: (error: unknown) => void): Promise<Opened> {
  const { default: pg } = await import('pg').catch(missing('pg'))
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_MS, keepAlive: true })
  // Without a listener, a lost connection would end the process.
  client.on('error', lost)
  await client.connect()
  return { connection: client, close: () => client.end() }
}

const CONNECT_MS = 30_000

async function openMemory(): Promise<Opened> {
  const { PGlite } = await import('@electric-sql/pglite').catch(missing('@electric-sql/pglite'))
  const connection = await PGlite.create()
  return { connection, close: () => connection.close() }
}

function missing(name: string): (cause: unknown) => never {
  return (cause) => {
    const text = `store: expected the package ${name} beside alvarium-sdk (npm install ${name}), got none`
    throw new AlvariumError('CONFIG_INVALID', text, { cause })
  }
}
