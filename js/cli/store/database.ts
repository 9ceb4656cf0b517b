import { existsSync } from 'node:fs'
// Import this entry point, because it loads the core, which no other import of a store query loads.
import 'alvarium-sdk/verify'
import { openStore, type Store, type StoreOptions } from 'alvarium-sdk/store'
import { invalid, pathText } from '../fault.js'
import type { Session } from '../session.js'
import { showWaiting } from '../terminal/progress.js'

export interface DatabaseOptions {
  readonly database: string
  readonly queryTimeout?: number
  readonly json?: boolean
}

/** Pattern of a URL. Its scheme has two characters or more, unlike the drive in a path such as `C:\store`. */
const IS_URL = /^[a-z][a-z\d+.-]+:/i

/** Returns whether the database is a server, which several processes can share, and not a folder. */
export function isServer(database: string): boolean {
  return IS_URL.test(database)
}

/** Opens a store, and creates it if it is missing, unless `create` is false. */
export function makeStore(
  { database, queryTimeout = 10 }: DatabaseOptions,
  options: StoreOptions,
): Promise<Store> {
  const where = isServer(database) ? database : `folder:${database}`
  return openStore(where, { queryTimeoutMs: queryTimeout * 1000, ...options })
}

/**
 * Opens an existing store. Refuses a missing one, because its name may be a typing mistake.
 *
 * @param settings - `create: true` creates the tables of a missing store on a server
 */
export async function storeAt(
  options: DatabaseOptions,
  session: Pick<Session, 'err'>,
  settings?: StoreOptions,
): Promise<Store> {
  const { database } = options
  if (!isServer(database) && !existsSync(database)) {
    const got = `${pathText(database)}, which is not there: alvarium store init makes one`
    throw invalid('--database', 'the folder of a store, or postgres://…', got)
  }
  const all = { keyring: [], create: false, ...settings }
  return showWaiting(session, 'opening the store', () => makeStore(options, all))
}

export async function withStore<T>(
  options: DatabaseOptions,
  session: Pick<Session, 'err'>,
  ask: (store: Store) => Promise<T>,
): Promise<T> {
  await using store = await storeAt(options, session)
  return await showWaiting(session, 'asking the store', () => ask(store))
}
