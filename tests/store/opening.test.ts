import { openStore } from 'alvarium-sdk/store'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { freePort } from '../brokers/ports.js'
import { codeOf, failure } from '../support/failure.js'
import { genuineMessages, payload } from '../support/messages.js'
import { keyring } from '../support/sdk.js'
import { type Postgres, startPostgres } from './postgres.mjs'

let server: Postgres
let client: pg.Client
beforeAll(async () => {
  server = await startPostgres('oldest')
})
afterAll(() => server?.stop())
beforeEach(async () => {
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
  await client.query('drop schema if exists alvarium cascade')
})
afterEach(() => client?.end())

it("operators in the schema public cannot replace PostgreSQL's operators in a store's queries", async () => {
  await client.query(`
    create function public.hostile(bigint, bigint) returns bigint language plpgsql
      as $$ begin raise exception 'the hostile operator ran'; end $$;
    create operator public./ (leftarg = bigint, rightarg = bigint, function = public.hostile);
    set search_path = public, pg_catalog`)
  await expect(client.query('select 4::bigint / 2::bigint')).rejects.toThrow('the hostile operator ran')
  const store = await openStore(client, { keyring })
  await store.ingest(Object.values(await genuineMessages()))
  expect((await store.answers({ from: 0 })).length).toBeGreaterThan(0)
  await store.close()
  await client.query('drop function public.hostile cascade')
})

// claim: store-14
it('openStore refuses a `pg.Pool`, and the error suggests a client from pool.connect()', async () => {
  const { code, message } = await failure(() => openStore(new pg.Pool() as never, { keyring }))
  expect(code).toBe('CONFIG_INVALID')
  expect(message).toContain('await pool.connect()')
})

it('openStore names an invalid connection without showing a possible password', async () => {
  const { message } = await failure(() => openStore('mysql://me:secret@host/db', { keyring }))
  expect(message).toContain('mysql://host/db')
  expect(message).not.toContain('secret')
  expect(await codeOf(() => openStore({} as never, { keyring }))).toBe('CONFIG_INVALID')
  expect(await codeOf(() => openStore('memory:', { keyring, queryTimeoutMs: 0 }))).toBe('CONFIG_INVALID')
  expect(await codeOf(() => openStore('memory:', { keyring, querytimeoutms: 1 } as never))).toBe(
    'CONFIG_INVALID',
  )
})

it('openStore rejects with STORE_FAILED for an unreachable server, without showing the password', async () => {
  const url = `postgres://me:secret@127.0.0.1:${await freePort()}/db`
  const { code, message } = await failure(() => openStore(url, { keyring }))
  expect(code).toBe('STORE_FAILED')
  expect(message).not.toContain('secret')
})

it('openStore with create: false creates no store in a database without one', async () => {
  const { code, message } = await failure(() => openStore(client, { keyring, create: false }))
  expect([code, message]).toEqual([
    'CONFIG_INVALID',
    expect.stringContaining('a database which has no store'),
  ])
  const { rows } = await client.query("select to_regnamespace('alvarium') as schema")
  expect(rows).toEqual([{ schema: null }])
  await (await openStore(client, { keyring })).close()
  await using store = await openStore(client, { keyring, create: false })
  expect((await store.stats()).bundles).toBe(0)
})

// claim: store-2
it('a store does not close a connection that the caller has opened', async () => {
  const store = await openStore(client, { keyring })
  await store.close()
  const { rows } = await client.query('select count(*)::integer as count from alvarium.leaf')
  expect(rows).toEqual([{ count: 0 }])
})

it('a store retries a transaction that conflicts with another, at most five times', async () => {
  let failures = 0
  const rivalled = {
    query: async (text: string, params?: unknown[]) => {
      if (text === 'commit' && failures > 0) {
        failures--
        await client.query('do $$ begin raise serialization_failure; end $$')
      }
      return client.query(text, params)
    },
  }
  const store = await openStore(rivalled, { keyring })
  const messages = Object.values(await genuineMessages())
  failures = 5
  expect(await codeOf(() => store.ingest(messages))).toBe('STORE_FAILED')
  failures = 4
  expect(await store.ingest(messages)).toMatchObject({ bundles: 4, copies: 0 })
  await store.close()
})

it('a store works with unusual database settings for strings, arrays and bytea values', async () => {
  for (const setting of [
    'standard_conforming_strings = off',
    'array_nulls = off',
    "bytea_output = 'escape'",
  ]) {
    await client.query(`set ${setting}`)
  }
  const store = await openStore(client, { keyring })
  expect(await store.ingest(Object.values(await genuineMessages()))).toMatchObject({ bundles: 4 })
  expect((await store.audit()).verdict).toBe('consistent')
  expect((await store.about(payload)).bundles).toBe(4)
  await store.close()
})

// claim: store-operating-12
it('a store works with a connection that names its SQL statements, so that the server can reuse their plans', async () => {
  const names = new Map<string, string>()
  const nameOf = (text: string) => {
    const name = names.get(text) ?? `store-${names.size}`
    names.set(text, name)
    return name
  }
  const query = (text: string, values: unknown[] = []) => client.query({ name: nameOf(text), text, values })
  const store = await openStore({ query }, { keyring })
  const messages = Object.values(await genuineMessages())
  for (let round = 0; round < 8; round++) {
    expect(await store.ingest(messages)).toMatchObject(round === 0 ? { bundles: 4 } : { copies: 4 })
    expect(await store.about(payload)).toMatchObject({ bundles: 4 })
  }
  const planned = 'select sum(generic_plans)::integer as count from pg_prepared_statements'
  expect((await client.query(planned)).rows[0].count).toBeGreaterThan(0)
  await store.close()
})

it('several processes can create one store at the same time, and each step of its schema runs once', async () => {
  const stores = await Promise.all(Array.from({ length: 6 }, () => openStore(server.url, { keyring })))
  const messages = Object.values(await genuineMessages())
  for (const store of stores) await store.ingest(messages)
  expect((await stores[0]?.stats())?.bundles).toBe(4)
  for (const store of stores) await store.close()
  const { rows } = await client.query('select version from alvarium.version order by version')
  expect(rows.map(({ version }) => version)).toEqual(rows.map((_, at) => at + 1))
})
