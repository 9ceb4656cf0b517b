import { generateKey } from 'alvarium-sdk'
import { openStore } from 'alvarium-sdk/store'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { blocksOf } from '../guide/blocks.js'
import { codeOf } from '../support/failure.js'
import { genuineMessages, payload } from '../support/messages.js'
import { keyring } from '../support/sdk.js'
import { type Postgres, startPostgres } from './postgres.mjs'

let server: Postgres
let owner: pg.Client
const urlOf = (role: string) => server.url.replace('postgres@', `${role}@`)

/** The roles of the guide, by its statements. */
beforeAll(async () => {
  server = await startPostgres('oldest')
  owner = new pg.Client({ connectionString: server.url })
  await owner.connect()
  const store = await openStore(server.url, { keyring })
  await store.close()
  const blocks = blocksOf('examples/guide/store-operating.md')
  for (const name of ['roles', 'grants']) {
    await owner.query(blocks.find(({ mark }) => mark === name)?.code ?? '')
  }
})
afterAll(async () => {
  await owner?.end()
  await server?.stop()
})

/** Runs a statement as a role. Returns the name of the error, if any. */
async function as(role: string, statement: string): Promise<string> {
  const client = new pg.Client({ connectionString: urlOf(role) })
  await client.connect()
  try {
    await client.query(statement)
    return 'done'
  } catch (error) {
    return (error as Error).message
  } finally {
    await client.end()
  }
}

it('the ingester role can store messages, and retry quarantined ones', async () => {
  const { create, mutate } = await genuineMessages()
  await using stranger = await openStore(urlOf('alvarium_ingester'), { keyring: [] })
  expect(await stranger.ingest([create])).toMatchObject({ bundles: 0, quarantined: 1 })
  await using store = await openStore(urlOf('alvarium_ingester'), { keyring })
  expect(await store.ingest([mutate])).toMatchObject({ bundles: 1 })
  expect(await store.retryQuarantine()).toMatchObject({ bundles: 1 })
})

// claim: store-operating-1
it('the ingester role can neither change nor remove messages and bundles', async () => {
  for (const table of ['evidence', 'beside', 'leaf', 'bundle', 'edge', 'datum', 'word', 'list']) {
    for (const statement of [`delete from alvarium.${table}`, `truncate alvarium.${table}`]) {
      expect(await as('alvarium_ingester', statement)).toContain('permission denied')
    }
  }
  expect(await as('alvarium_ingester', 'update alvarium.bundle set host = 1')).toContain('permission denied')
  expect(await as('alvarium_ingester', 'update alvarium.beside set received = 1')).toContain(
    'permission denied',
  )
  expect(await as('alvarium_ingester', "update alvarium.evidence set message = ''")).toContain(
    'permission denied',
  )
})

it('the ingester role can add the lines of witnesses to a stored checkpoint', async () => {
  expect(await as('alvarium_ingester', 'update alvarium.beside set message = message, digest = digest')).toBe(
    'done',
  )
})

// claim: store-operating-3
it('the reader role can query a store, and can store nothing', async () => {
  const { transit } = await genuineMessages()
  await using store = await openStore(urlOf('alvarium_reader'), { keyring })
  expect((await store.about(payload)).bundles).toBe(2)
  expect((await store.stats()).bundles).toBe(2)
  expect((await store.by({ kind: 'src' })).bundles).toHaveLength(2)
  expect(await codeOf(() => store.ingest([transit]))).toBe('STORE_FAILED')
  expect(await as('alvarium_reader', 'update alvarium.head set leaves = 0')).toContain('permission denied')
})

it('only the pruner role can remove old messages, and it can store nothing', async () => {
  const before = Date.now()
  for (const role of ['alvarium_reader', 'alvarium_ingester']) {
    await using store = await openStore(urlOf(role), { keyring })
    expect(await codeOf(() => store.prune({ before }))).toBe('STORE_FAILED')
  }
  expect(await as('alvarium_ingester', 'insert into alvarium.pruned values (0, 9, 0)')).toContain(
    'permission denied',
  )
  await using store = await openStore(urlOf('alvarium_pruner'), { keyring })
  expect(await store.forget(payload)).toMatchObject({ bundles: 2 })
  expect(await store.prune({ before })).toMatchObject({ bundles: 0, messages: 0 })
  expect((await store.audit()).differences).toEqual([])
  const { transit } = await genuineMessages()
  expect(await codeOf(() => store.ingest([transit]))).toBe('STORE_FAILED')
})

it('the reader role cannot open a store whose tables do not exist', async () => {
  await owner.query('create database empty')
  expect(
    await codeOf(() => openStore(urlOf('alvarium_reader').replace(/postgres$/, 'empty'), { keyring })),
  ).toBe('STORE_FAILED')
})

// claim: store-operating-2
it('the ingester role can sign checkpoints of a growing log, which the reader role can audit', async () => {
  const { transit } = await genuineMessages()
  const log = { origin: 'example.com/store-1', signingKey: generateKey().signingKey }
  await using store = await openStore(urlOf('alvarium_ingester'), { keyring, log })
  const { size } = await store.checkpoint()
  expect(await store.ingest([transit])).toMatchObject({ bundles: 1 })
  const { size: later, note: checkpoint } = await store.checkpoint()
  expect(later).toBe(size + 1)
  await using reader = await openStore(urlOf('alvarium_reader'), { keyring })
  const { vkey } = store
  expect(await reader.audit({ checkpoint, vkey })).toMatchObject({ verdict: 'proved', differences: [] })
})
