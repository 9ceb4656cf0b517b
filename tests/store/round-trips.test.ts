// @node-only: it starts PostgreSQL
import { readPolicy } from 'alvarium-sdk/score'
import { openStore, type Store } from 'alvarium-sdk/store'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { keyring } from '../support/sdk.js'
import { messages } from './filled.js'
import { type Postgres, startPostgres } from './postgres.mjs'

let server: Postgres
let client: pg.Client
let store: Store
/** Texts that were sent to the server, of one statement or of several. */
const sent: string[] = []

beforeAll(async () => {
  server = await startPostgres('oldest')
  client = new pg.Client({ connectionString: server.url })
  await client.connect()
  store = await openStore(countTexts(client), { keyring, classic: true })
  await store.ingest(await messages())
})
afterAll(async () => {
  await store?.close()
  await client?.end()
  await server?.stop()
})

function countTexts(given: pg.Client): pg.Client {
  const query = given.query.bind(given) as (asked: pg.QueryConfig) => Promise<pg.QueryResult>
  const keeping = (asked: pg.QueryConfig) => {
    sent.push(asked.text)
    return query(asked)
  }
  return Object.assign(given, { query: keeping as typeof given.query })
}

async function tripsOf(ask: () => Promise<unknown>): Promise<number> {
  await ask()
  sent.length = 0
  await ask()
  return sent.length
}

const product = new TextEncoder().encode('e')
const byLayers = readPolicy({ version: 1, layers: 'stack' })
const byAncestors = readPolicy({ version: 1, ancestors: 'product' })

// claim: store-operating-18
it('each query takes a fixed number of round trips when the names that it needs are cached', async () => {
  const questions: Readonly<Record<string, () => Promise<unknown>>> = {
    score: () => store.score(product),
    'score by ancestors': () => store.score(product, { policy: byAncestors }),
    'score by layers': () => store.score(product, { policy: byLayers }),
    'score of nothing': () => store.score({ key: '00'.repeat(32), hash: 'sha256' }),
    why: () => store.why(product),
    about: () => store.about(product),
    history: () => store.history(product),
    lineage: () => store.lineage(product),
    by: () => store.by({ kind: 'src' }),
    silent: () => store.silent(),
    stats: () => store.stats(),
  }
  const trips: Record<string, number> = {}
  for (const [name, ask] of Object.entries(questions)) trips[name] = await tripsOf(ask)
  expect(trips).toEqual({
    score: 2,
    'score by ancestors': 2,
    'score by layers': 3,
    'score of nothing': 2,
    why: 2,
    about: 2,
    history: 4,
    lineage: 5,
    by: 6,
    silent: 4,
    stats: 6,
  })
})

it('a score takes four round trips instead of two if the store has not yet cached the names that it needs', async () => {
  const other = await openStore(client, { keyring })
  sent.length = 0
  await other.score(product)
  expect(sent).toHaveLength(4)
  await other.close()
})
