// @node-only: it starts PostgreSQL
// @each-database
import { source } from 'alvarium-sdk'
import { openStore, type Store } from 'alvarium-sdk/store'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { genuineMessages, payload } from '../support/messages.js'
import { keyring, opened } from '../support/sdk.js'
import { onEachDatabase, type TestDatabase } from './databases.js'

async function session({ where }: TestDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: where as string, application_name: 'nightly "report"' })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end().catch(() => undefined))
  return client
}

/** Opens a store whose process stops before the first statement with this beginning, and leaves its transaction open. */
async function frozenAt(database: TestDatabase, start: string, queryTimeoutMs: number): Promise<void> {
  const client = await session(database)
  await new Promise<void>((resolve) => {
    const query = (text: string, values?: unknown[]) => {
      if (!text.startsWith(start)) return client.query(text, values)
      resolve()
      return new Promise<never>(() => undefined)
    }
    const store = openStore({ query }, { keyring, queryTimeoutMs })
    void store.then(async (opened) => opened.ingest(Object.values(await genuineMessages())))
  })
}

const messages = async () => Object.values(await genuineMessages())
const AN_HOUR = 3_600_000

/** Calls that wait for the tables of a store. */
const VERBS: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  ingest: async (store) => store.ingest(await messages()),
  judge: (store) => store.retryQuarantine(),
  about: (store) => store.about(payload),
  history: (store) => store.history(payload),
  by: (store) => store.by({ host: 'edge-7' }),
  lineage: (store) => store.lineage(payload),
  score: (store) => store.score(payload),
  why: (store) => store.why(payload),
  export: (store) => store.export().next(),
  'export of a payload': (store) => store.export(payload).next(),
  silent: (store) => store.silent(),
  answers: (store) => store.answers({ from: 0 }),
  stats: (store) => store.stats(),
  missing: (store) => store.missing(),
  prove: (store) => store.prove('00'.repeat(32)),
  audit: (store) => store.audit(),
  prune: (store) => store.prune({ before: new Date(0) }),
  forget: (store) => store.forget(payload),
}

/** Defines the tests of locks, which need several connections. */
function behindLocks(database: TestDatabase): void {
  // claim: store-40
  it('an ingester that is frozen in its transaction loses the transaction, and others can store', async () => {
    await database.open()
    await frozenAt(database, 'commit', 2_000)
    const store = await database.open({ queryTimeoutMs: AN_HOUR })
    expect(await store.ingest(await messages())).toMatchObject({ bundles: 4, copies: 0 })
  })

  it.each([
    [60_000, '30s'],
    [1_000, '1s'],
  ])(
    'a store with queryTimeoutMs %i lets the server end a transaction that has been idle for %s',
    async (queryTimeoutMs, half) => {
      const client = await session(database)
      const limits = new Set<unknown>()
      const query = async (text: string, values?: unknown[]) => {
        if (text.startsWith('commit')) {
          const { rows } = await client.query('show idle_in_transaction_session_timeout')
          limits.add(rows[0].idle_in_transaction_session_timeout)
        }
        return client.query(text, values)
      }
      const store = await openStore({ query }, { keyring, queryTimeoutMs })
      limits.clear()
      await store.ingest(await messages())
      await store.stats()
      await store.close()
      expect(limits).toEqual(new Set([half]))
    },
  )

  // claim: store-41, troubleshooting-8
  it('each call of a store rejects in time if another session holds a lock, and names that session', async () => {
    const calls = Object.entries(VERBS)
    const stores: Store[] = []
    for (const _ of calls) stores.push(await database.open({ queryTimeoutMs: 1_000 }))
    const other = await session(database)
    await other.query('begin')
    const { rows: tables } = await other.query(
      "select tablename as name from pg_tables where schemaname = 'alvarium'",
    )
    await other.query(`lock table ${tables.map(({ name }) => `alvarium.${name}`).join()}`)
    const { rows } = await other.query('select pg_backend_pid() as pid')
    const failures = await Promise.all(calls.map(([, call], at) => failure(() => call(stores[at] as Store))))
    for (const [at, { code, message }] of failures.entries()) {
      const [name] = calls[at] as (typeof calls)[number]
      expect(code, name).toBe('STORE_FAILED')
      expect(message, name).toContain('within 1000 ms')
      expect(message, name).toContain(
        `process ${rows[0].pid} of the server, application "nightly \\"report\\""`,
      )
      expect(message, name).toContain('idle in transaction, in a transaction since 20')
    }
    await other.query('rollback')
    // Calls work again after the lock.
    for (const [at, [name, call]] of calls.entries()) {
      await call(stores[at] as Store).catch(({ code }) => expect(code, name).not.toBe('STORE_FAILED'))
    }
  })

  it('openStore rejects in time if another session has locked the schema version, and names that session', async () => {
    await database.open()
    const other = await session(database)
    await other.query('begin')
    await other.query('lock table alvarium.version')
    const open = () => openStore(database.where, { keyring, queryTimeoutMs: 1_000 })
    const { code, message } = await failure(open)
    expect([code, message]).toEqual(['STORE_FAILED', expect.stringContaining('application "nightly')])
  })

  it('store.ingest rejects within its time limit if a trigger sleeps, and does not blame a lock of another session', async () => {
    const store = await database.open({ queryTimeoutMs: 1_000 })
    await database.query(`
      create function alvarium.sleep() returns trigger language plpgsql as
      $$ begin perform pg_catalog.pg_sleep(3600); return new; end $$`)
    await database.query(
      'create trigger sleep before insert on alvarium.leaf for each row execute function alvarium.sleep()',
    )
    const { code, message } = await failure(async () => store.ingest(await messages()))
    expect([code, message]).toEqual(['STORE_FAILED', expect.stringContaining('within 1000 ms')])
    expect(message).not.toContain('held by')
    await database.query('drop trigger sleep on alvarium.leaf')
    expect(await store.ingest(await messages())).toMatchObject({ bundles: 4 })
  })
}

onEachDatabase((database, isServer) => {
  if (isServer) behindLocks(database)

  it('store.ingest rejects if a trigger discards lineage edges, with their number in the error', async () => {
    const store = await database.open()
    const { sdk, stream } = await opened([source()])
    for (const name of ['known', 'other']) await sdk.create(utf8(name))
    const made = stream.messages.length
    await sdk.mutate([utf8('a'), utf8('b'), utf8('c')], utf8('known'))
    await sdk.mutate([utf8('a'), utf8('b')], utf8('fresh'))
    await sdk.close()
    await store.ingest(stream.messages.slice(0, made))
    await database.query(`
      create function alvarium.swallow() returns trigger language plpgsql as
      $$ begin if new.parent % 2 = 0 then return null; end if; return new; end $$`)
    await database.query(`
      create trigger swallow before insert on alvarium.edge
      for each row execute function alvarium.swallow()`)
    for (const [at, fewer] of ['1 of 3', '1 of 2'].entries()) {
      const { code, message } = await failure(() => store.ingest([stream.messages[made + at] as Uint8Array]))
      expect([code, message]).toEqual([
        'STORE_FAILED',
        `store: expected the database to keep all rows that it was given, got ${fewer} in edge: a trigger or a rule removes rows`,
      ])
    }
    await database.query('drop trigger swallow on alvarium.edge')
    expect(await store.ingest(stream.messages)).toMatchObject({ bundles: 2 })
    expect((await store.audit({ itself: true })).verdict).toBe('consistent')
  })

  // claim: store-44
  it.each(['leaf', 'bundle', 'evidence', 'datum', 'word', 'list', 'head', 'edge', 'quarantine'])(
    'store.ingest rejects and stores nothing if a trigger removes its rows of %s',
    async (table) => {
      const store = await database.open(table === 'quarantine' ? { keyring: [] } : {})
      await database.query(`
        create function alvarium.swallow() returns trigger language plpgsql as
        $$ begin return null; end $$`)
      await database.query(`
        create trigger swallow before insert or update on alvarium.${table}
        for each row execute function alvarium.swallow()`)
      const { code, message } = await failure(async () => store.ingest(await messages()))
      expect([code, message]).toEqual(['STORE_FAILED', expect.stringContaining('a trigger or a rule')])
      await database.query(`drop trigger swallow on alvarium.${table}`)
      expect((await store.stats()).bundles).toBe(0)
      const done = await store.ingest(await messages())
      expect(done.bundles + done.quarantined).toBe(4)
    },
  )
})
