import { openStore } from 'alvarium-sdk/store'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { genuineMessages, payload } from '../support/messages.js'
import { keyring } from '../support/sdk.js'
import { type Postgres, startPostgres } from './postgres.mjs'

const TABLES = ['leaf', 'evidence', 'datum', 'word', 'list', 'bundle', 'edge']
const messages = Object.values(await genuineMessages())
let server: Postgres
let client: pg.Client
/** Statements of each step of the schema, as a new store takes them. */
const steps: string[][] = [[]]

/** A store of today, in another schema, from which older ones have their rows. */
beforeAll(async () => {
  server = await startPostgres('oldest')
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const query = (text: string, params?: unknown[]) => {
    if (text.startsWith('insert into alvarium.version')) steps.push([])
    else steps.at(-1)?.push(text)
    return client.query(text, params)
  }
  const store = await openStore({ query }, { keyring })
  steps.pop()
  const isOfSchema = (text: string) =>
    /^\s*(create (table|index)|alter|drop|update|insert|do|select from)\b/.test(text)
  for (const [at, texts] of steps.entries()) steps[at] = texts.filter(isOfSchema)
  await store.ingest(messages)
  await store.close()
  await client.query('alter schema alvarium rename to today')
})
afterAll(async () => {
  await client?.end()
  await server?.stop()
})

/** Makes a store of an earlier version, with the rows of today. */
async function makeOlder(version: number): Promise<void> {
  await client.query('drop schema if exists alvarium cascade')
  await client.query('create schema alvarium')
  for (const [at, texts] of steps.slice(0, version).entries()) {
    for (const text of texts) await client.query(text)
    await client.query('insert into alvarium.version values ($1)', [at + 1])
  }
  for (const table of TABLES) {
    const columns = await columnsOf(table)
    await client.query(`insert into alvarium.${table} (${columns}) select ${columns} from today.${table}`)
  }
  const columns = await columnsOf('head')
  await client.query(`update alvarium.head set (${columns}) = (select ${columns} from today.head)`)
}

/** Returns the columns that a table had in the version that is there. */
async function columnsOf(table: string): Promise<string> {
  const { rows } = await client.query(
    "select string_agg(column_name, ', ') as names from information_schema.columns where table_schema = 'alvarium' and table_name = $1",
    [table],
  )
  return rows[0].names
}

// claim: store-operating-19
it('stores of each earlier version can be upgraded by several processes, and keep all of their rows', async () => {
  expect(steps.length).toBeGreaterThan(10)
  for (let version = 1; version < steps.length; version++) {
    await makeOlder(version)
    const stores = await Promise.all([1, 2, 3].map(() => openStore(server.url, { keyring })))
    const ingested = await Promise.all(stores.map((store) => store.ingest(messages)))
    expect(ingested, `version ${version}`).toEqual(
      stores.map(() => expect.objectContaining({ bundles: 0, copies: 4 })),
    )
    for (const store of stores) {
      expect((await store.about(payload)).bundles, `version ${version}`).toBe(4)
      expect(await store.audit({ itself: true }), `version ${version}`).toMatchObject({ outcome: 'holds' })
      await store.close()
    }
    const { rows } = await client.query('select version from alvarium.version order by version')
    expect(rows.map((row) => row.version)).toEqual(steps.map((_, at) => at + 1))
  }
})
