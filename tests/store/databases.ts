import { PGlite } from '@electric-sql/pglite'
import { dataDir } from '@electric-sql/pglite-prepopulatedfs'
import { type Connection, openStore, type Store, type StoreOptions } from 'alvarium-sdk/store'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import { keyring } from '../support/sdk.js'
import { type Postgres, startPostgres, type Version } from './postgres.mjs'

/** A database whose store is empty at the beginning of each test. */
export interface TestDatabase {
  /** Connection for stores: a URL of a server, or the one connection of PGlite. */
  readonly where: Connection | string
  /** Opens a store, and closes it after the test. */
  open(options?: Partial<StoreOptions>): Promise<Store>
  /** Runs a statement outside of all stores. */
  query(text: string, params?: unknown[]): Promise<Record<string, unknown>[]>
}

interface Started {
  readonly where: Connection | string
  readonly connection: Connection
  stop(): Promise<void>
}

/**
 * Returns whether the run includes this database. `npm test` has the oldest server, a third of the time of all, and
 * `npm run test:long` has the others (vitest.config.ts). Other runs have all of them.
 */
const isAsked = (name: Version | 'pglite') => {
  const asked = process.env['STORE_DATABASES']
  return asked === undefined || (asked === 'oldest') === (name === 'oldest')
}

/** Defines the same tests for each database. Servers allow several connections, PGlite one. */
export function onEachDatabase(tests: (database: TestDatabase, isServer: boolean) => void): void {
  if (isAsked('pglite')) describe('in PGlite', () => tests(prepared(startPglite), false))
  for (const version of (['oldest', 'newest'] as const).filter(isAsked)) {
    describe(`in the ${version} PostgreSQL`, () =>
      tests(
        prepared(() => startServer(version)),
        true,
      ))
  }
}

/** Defines tests for stores on the one connection of the oldest server, which takes a third of the CPU time of PGlite. */
export function onOneDatabase(tests: (database: TestDatabase) => void): void {
  tests(prepared(startOneConnection))
}

export async function startOneConnection(): Promise<Started & { where: Connection }> {
  const started = await startServer('oldest')
  return { ...started, where: started.connection }
}

function prepared(start: () => Promise<Started>): TestDatabase {
  let started: Started
  const stores: Store[] = []
  beforeAll(async () => {
    started = await start()
  })
  beforeEach(async () => {
    await started.connection.query('drop schema if exists alvarium cascade')
  })
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close()
  })
  afterAll(() => started?.stop())
  return {
    get where() {
      return started.where
    },
    open: async (options = {}) => {
      const store = await openStore(started.where, { keyring, ...options })
      stores.push(store)
      return store
    },
    query: async (text, params) => {
      const { rows } = await started.connection.query(text, params)
      return rows as Record<string, unknown>[]
    },
  }
}

async function startPglite(): Promise<Started> {
  // A prepared empty database: creating one takes ten times as long.
  const connection = await PGlite.create({ loadDataDir: await dataDir() })
  return { where: connection, connection, stop: () => connection.close() }
}

async function startServer(version: Version): Promise<Started> {
  const server: Postgres = await startPostgres(version)
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const stop = async () => {
    await client.end()
    await server.stop()
  }
  return { where: server.url, connection: client, stop }
}
