import { existsSync } from 'node:fs'
// Import the core: commands that only ask load it from nowhere else.
import 'alvarium-sdk/verify'
import { openStore, type Store, type StoreOptions } from 'alvarium-sdk/store'
import { invalid, pathText } from '../fault.js'
import type { Session } from '../session.js'
import { showWaiting } from '../terminal/progress.js'

export interface DatabaseOptions {
  readonly database: string
  readonly queryTimeout?: number
}

/** Form of URLs. Any URL may have a password in it: nothing of it is shown. */
const IS_URL = /^[a-z][a-z\d+.-]*:/i

/** Returns whether the database is a server, which several processes can use, and no folder. */
export function isServer(database: string): boolean {
  return IS_URL.test(database)
}

/** Opens a store, or makes it. @throws AlvariumError */
export function makeStore(
  { database, queryTimeout = 10 }: DatabaseOptions,
  options: StoreOptions,
): Promise<Store> {
  const where = isServer(database) ? database : `folder:${database}`
  return openStore(where, { queryTimeoutMs: queryTimeout * 1000, ...options })
}

/**
 * Opens an existing store, so that a mistake in the name of a folder or a database makes no new one.
 *
 * @param settings - with `create`, a missing store in a database is made all the same
 * @throws AlvariumError
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

/** Opens a store, asks it, and always closes it. */
export async function withStore<T>(
  options: DatabaseOptions,
  session: Pick<Session, 'err'>,
  ask: (store: Store) => Promise<T>,
): Promise<T> {
  await using store = await storeAt(options, session)
  return await showWaiting(session, 'asking the store', () => ask(store))
}
