// @node-only: it starts PostgreSQL
import { generateKey, memory, openSdk, source } from 'alvarium-sdk'
import { openStore, type Store } from 'alvarium-sdk/store'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { startPostgres } from './postgres.mjs'

const [anna, ben, carl] = [generateKey(), generateKey(), generateKey()]
const keyring = [anna, ben, carl].map(({ verifyingKey }) => verifyingKey)

async function messages(tag: string, count: number, { signingKey } = anna) {
  const stream = memory()
  const annotators = [source(), { kind: `kind of ${tag}`, isSatisfied: () => true }]
  const sdk = await openSdk({ signingKey, annotators, stream, tag })
  for (let at = 0; at < count; at++) await sdk.create(utf8(`${tag} ${at}`))
  await sdk.close()
  return stream.messages
}

/**
 * Opens a connection to a pooler that silently switches to another database: a copy of the first without its last
 * transactions.
 */
async function pooler() {
  const server = await startPostgres('oldest')
  onTestFinished(() => server.stop())
  const clientOf = async (database: string) => {
    const client = new pg.Client({ connectionString: server.url.replace(/\/postgres$/, `/${database}`) })
    await client.connect()
    return client
  }
  const admin = await clientOf('postgres')
  await admin.query('create database first')
  let current = await clientOf('first')
  onTestFinished(async () => {
    await current.end()
    await admin.end()
  })
  return {
    query: (text: string, values?: unknown[]) => current.query(text, values),
    copy: async () => {
      await current.end()
      await admin.query('create database replica template first')
      current = await clientOf('first')
    },
    failOver: async () => {
      await current.end()
      current = await clientOf('replica')
    },
  }
}

async function tagsIn(store: Store, tag: string): Promise<string[]> {
  const { bundles } = await store.by({ tag })
  return bundles.flatMap(({ annotations }) => annotations.map((one) => `${one.kind}, ${one.tag}`))
}

// claim: store-43
it('a store stores and reads the right kinds and tags after a pooler has switched to a replica that lacks the last transactions', async () => {
  const pool = await pooler()
  const store = await openStore(pool, { keyring })
  const reader = await openStore(pool, { keyring })
  await store.ingest(await messages('first', 3))
  await pool.copy()
  await store.ingest(await messages('lost', 3, ben))
  expect(await tagsIn(reader, 'lost')).toHaveLength(6)
  await pool.failOver()
  expect(await tagsIn(reader, 'lost')).toEqual([])
  const later = [...(await messages('other', 2, carl)), ...(await messages('lost', 1, ben))]
  expect(await store.ingest(later)).toMatchObject({ bundles: 3 })
  for (const one of [store, reader]) {
    expect(await tagsIn(one, 'lost')).toEqual(['src, lost', 'kind of lost, lost'])
    expect(await tagsIn(one, 'other')).toHaveLength(4)
    expect(await tagsIn(one, 'first')).toHaveLength(6)
  }
  expect(await store.audit({ itself: true })).toMatchObject({ differences: [], outcome: 'holds' })
})

it('a store reads the names of hosts, kinds and tags from the database only once', async () => {
  const pool = await pooler()
  let asked = 0
  const query = (text: string, values?: unknown[]) => {
    if (/join alvarium\.(word|list)/.test(text)) asked++
    return pool.query(text, values)
  }
  const store = await openStore({ query }, { keyring })
  await store.ingest(await messages('first', 1))
  await tagsIn(store, 'first')
  const once = asked
  await store.ingest(await messages('first', 1))
  await store.history(utf8('first 0'))
  expect(asked).toBe(once)
})
