import { existsSync } from 'node:fs'
// The core, which whoever only asks loads with nothing else.
import 'alvarium-sdk/verify'
import { openStore, type Store, type StoreOptions } from 'alvarium-sdk/store'
import { invalid, named } from '../fault.js'
import type { Session } from '../session.js'
import { showWaiting } from '../terminal/progress.js'

/** Which store, as it was asked for. */
export interface DatabaseOptions {
  readonly database: string
  readonly queryTimeout?: number
}

/** Another one may have a password in it: nothing of it is shown. */
const IS_URL = /^[a-z][a-z\d+.-]*:/i

/** Whether it is PostgreSQL, which several can use, and no folder. */
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
 * Opens a store that is there: of a slip in the name of a folder or a database nobody wants a new one.
 *
 * @param settings - `create` if it is made all the same, in a database
 * @throws AlvariumError
 */
export async function storeAt(
  options: DatabaseOptions,
  session: Pick<Session, 'err'>,
  settings?: StoreOptions,
): Promise<Store> {
  const { database } = options
  if (!isServer(database) && !existsSync(database)) {
    const got = `${named(database)}, which is not there: alvarium store init makes one`
    throw invalid('--database', 'the folder of a store, or postgres://…', got)
  }
  const all = { keyring: [], create: false, ...settings }
  return showWaiting(session, 'opening the store', () => makeStore(options, all))
}

/** Opens a store, asks it, and closes it whatever comes of that. */
export async function withStore<T>(
  options: DatabaseOptions,
  session: Pick<Session, 'err'>,
  ask: (store: Store) => Promise<T>,
): Promise<T> {
  await using store = await storeAt(options, session)
  return await showWaiting(session, 'asking the store', () => ask(store))
}
