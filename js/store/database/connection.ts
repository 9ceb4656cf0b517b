import { openEmbedded } from '#store-embedded'
import { describe, expected } from '../../foundation/base/errors.js'
import { missing } from '../../foundation/base/missing.js'
import { hasMethods, shownUrl } from '../../foundation/base/options/schema.js'
import { urlIn } from '../../foundation/base/text/text.js'
import { type ReadConnection, type Row, type Statement, withReaders } from './readers.js'

export type { ReadConnection, Row, Statement } from './readers.js'

/**
 * One connection to PostgreSQL: a connected `Client` of `pg`, the result of `pool.connect()`, or a `PGlite`.
 * A store begins and ends transactions on the connection, so no other code may use it.
 */
export interface Connection {
  /** Runs one SQL statement with values for its parameters `$1`, `$2`, …, and returns the rows. */
  query(text: string, params?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

export interface ConnectionHandle {
  readonly connection: ReadConnection
  close(): Promise<unknown>
  /**
   * Ends the connection at once, and rejects its queries. Without this function, the store waits for answers
   * without a time limit.
   */
  destroy?(reason: Error): void
}

/** Opens the store's connection. Calls `lost` when this connection is lost, if it can be opened again. */
export type Connector = (lost: (error: unknown) => void) => Promise<ConnectionHandle>

/** URL of PGlite in memory, and prefix of URLs for PGlite in the folder whose path follows the prefix. */
const MEMORY = 'memory:'
const FOLDER = 'folder:'

/** Returns a function that opens a connection, again after each loss. `create` also creates a folder. */
export function connectorOf(given: Connection | string, create: boolean): Connector {
  if (typeof given !== 'string') return connectorTo(given)
  if (given === MEMORY) return (lost) => openEmbedded(undefined, lost, create)
  if (given.startsWith(FOLDER) && given !== FOLDER) {
    return (lost) => openEmbedded(given.slice(FOLDER.length), lost, create)
  }
  const protocol = urlIn(given)?.protocol
  if (protocol === 'postgres:' || protocol === 'postgresql:') return (lost) => openUrl(given, lost)
  throw expected(
    'CONFIG_INVALID',
    'store',
    `a connection, a URL that begins with postgres://, ${FOLDER} and a path, or ${MEMORY}`,
    shownUrl(given),
  )
}

function connectorTo(connection: Connection): Connector {
  if (isPool(connection)) {
    const got = 'a Pool, whose statements go to several connections'
    throw expected('CONFIG_INVALID', 'store', 'one connection: await pool.connect()', got)
  }
  if (!hasMethods(connection, 'query')) {
    throw expected('CONFIG_INVALID', 'store', 'a connection with query(), or a URL', describe(connection))
  }
  return async () => ({ connection: withReaders(connection), close: async () => undefined })
}

function isPool(value: object): boolean {
  return ['totalCount', 'idleCount', 'waitingCount'].every((name) => name in Object(value))
}

async function pgPackage() {
  try {
    return (await import('pg')).default
  } catch (cause) {
    throw missing('pg', cause)
  }
}

async function openUrl(connectionString: string, lost: (error: unknown) => void): Promise<ConnectionHandle> {
  const pg = await pgPackage()
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: ALIVE_MS,
  })
  // Listen for errors: without a listener, a lost connection would end the process.
  client.on('error', lost)
  await client.connect()
  return {
    connection: withReaders(client),
    close: () => client.end(),
    destroy: (reason) => client.connection.stream.destroy(reason),
  }
}

const CONNECT_MS = 30_000
/** Idle time before TCP sends keepalive probes. The default of operating systems is two hours. */
const ALIVE_MS = 10_000

export interface Session {
  query(text: string, params?: unknown[]): Promise<readonly Row[]>
  /** Runs statements in sequence, in one round trip if possible. @returns the rows of each statement */
  queryAll(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>
}
