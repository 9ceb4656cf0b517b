import { openEmbedded } from '#store-embedded'
import { describe, expected } from '../../foundation/base/errors.js'
import { missing } from '../../foundation/base/missing.js'
import { hasMethods, shownUrl } from '../../foundation/base/options/schema.js'
import { urlIn } from '../../foundation/base/text/text.js'
import { type ReadConnection, type Statement, withReaders } from './readers.js'

export type { ReadConnection, Statement } from './readers.js'

/** A row as a database returns it. */
export type Row = Readonly<Record<string, unknown>>

/**
 * One connection to PostgreSQL: a connected `Client` of `pg`, the result of `pool.connect()`, or a `PGlite`. A store begins and ends transactions
 * in it, so no other code may use it.
 */
export interface Connection {
  /** Runs one statement. */
  query(text: string, params?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>
}

/** A connection and a function that closes it. */
export interface ConnectionHandle {
  readonly connection: ReadConnection
  close(): Promise<unknown>
  /**
   * Ends the connection at once: its queries are rejected, and the loss is reported. Only for connections that can fall silent: a server may be
   * cut off.
   */
  destroy?(reason: Error): void
}

/** A function that opens the store's own connection. It calls `lost` when the connection is lost. */
export type Connector = (lost: (error: unknown) => void) => Promise<ConnectionHandle>

/** Prefixes of PGlite: in memory; and in a folder, whose path follows. */
const MEMORY = 'memory:'
const FOLDER = 'folder:'

/**
 * Returns a function that opens a connection, again after each loss.
 *
 * @param create - whether to make the folder of a store
 * @returns what opens a connection, once more whenever one was lost
 * @throws AlvariumError `CONFIG_INVALID`
 */
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

/** Returns a connection that was given: it cannot be opened again. */
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

/** Returns whether a value is a Pool of `pg`, by properties that a client does not have. */
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
  // Without a listener, a lost connection would end the process.
  client.on('error', lost)
  await client.connect()
  return {
    connection: withReaders(client),
    close: () => client.end(),
    destroy: (reason) => client.connection.stream.destroy(reason),
  }
}

const CONNECT_MS = 30_000
/** Idle time after which TCP asks whether the machine is there: systems do so after two hours. */
const ALIVE_MS = 10_000

/** Runs statements on one connection, one after the other. */
export interface Session {
  query(text: string, params?: unknown[]): Promise<readonly Row[]>
  /** Runs statements one after the other, in one round trip if it can. @returns the rows of each */
  queryAll(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]>
}
