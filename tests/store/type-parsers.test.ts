// @node-only: it starts PostgreSQL
// @own-process: type parsers of pg are those of the whole process
// @each-database
import { PGlite } from '@electric-sql/pglite'
import { dataDir } from '@electric-sql/pglite-prepopulatedfs'
import { type Connection, openStore, type Store } from 'alvarium-sdk/store'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { genuineMessages, payload } from '../support/messages.js'
import { keyring } from '../support/sdk.js'
import { onEachDatabase } from './databases.js'

/** Numbers of the types whose parsers applications replace: bool, bytea, name, bigint, smallint, integer, text, numeric, and lists. */
const TYPES = [16, 17, 19, 20, 21, 23, 25, 1700, 1005, 1007, 1016]

/** Parsers that applications use, and worse ones. */
const PARSERS: readonly ((text: string) => unknown)[] = [
  (text) => text,
  (text) => Number.parseFloat(text),
  () => 'x',
  () => true,
]

/** True in `npm test`, which tries fewer parsers than the step of databases. */
const isQuick = process.env['STORE_DATABASES'] === 'oldest'

/** Returns the parsers to try for a type, by its index: two in `npm test`, all of them in the step of databases. */
function parsersAt(place: number) {
  if (!isQuick) return PARSERS
  return [0, 1].map((next) => PARSERS[(place + next) % PARSERS.length] as (text: string) => unknown)
}

const messages = Object.values(await genuineMessages())

const ask: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  about: (store) => store.about(payload),
  history: (store) => store.history(payload),
  by: (store) => store.by({ kind: 'src' }),
  lineage: (store) => store.lineage(payload, { direction: 'down' }),
  score: (store) => store.score(payload),
  export: async (store) => (await store.export(payload).next()).value?.message,
  silent: (store) => store.silent(),
  answers: (store) => store.answers({ from: 0 }),
  stats: (store) => store.stats(),
  missing: (store) => store.missing(),
  audit: (store) => store.audit(),
  'ingest again': (store) => store.ingest(messages),
}

/** Returns the answers of a store by their questions, or the codes of errors. */
async function answersOf(connection: Connection | string): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  for (const [name, question] of Object.entries(ask)) {
    // A new store for each question, without cached rows.
    const store = await openStore(connection, { keyring }).catch((error) => error.code as string)
    answers[name] =
      typeof store === 'string' ? store : await question(store).catch((error) => error.code as string)
    if (typeof store !== 'string') await store.close()
  }
  return answers
}

function setForAll(type: number, parse: (text: string) => unknown): () => void {
  const before = pg.types.getTypeParser(type)
  pg.types.setTypeParser(type, parse)
  return () => pg.types.setTypeParser(type, before)
}

onEachDatabase((database, isServer) => {
  // claim: store-42
  it("an application's type parsers for pg do not change a store's answers", async () => {
    const store = await database.open()
    await store.ingest(messages)
    if (!isServer) return
    const client = new pg.Client({ connectionString: database.where as string })
    await client.connect()
    onTestFinished(() => client.end())
    const right = await answersOf(database.where)
    // Replace all parsers at once: none may change an answer.
    const resets = TYPES.map((type) => setForAll(type, () => 'x'))
    expect(await answersOf(database.where), 'a URL').toEqual(right)
    expect(await answersOf(client), 'a client').toEqual(right)
    for (const reset of resets) reset()
  })

  it('a store whose pg client is hidden in a wrapper may reject with STORE_FAILED because of type parsers, but gives no wrong answer', async () => {
    if (!isServer) return
    await (await database.open()).ingest(messages)
    const client = new pg.Client({ connectionString: database.where as string })
    await client.connect()
    onTestFinished(() => client.end())
    const hidden = { query: (text: string, values?: unknown[]) => client.query(text, values) }
    const right = await answersOf(hidden)
    // Parsers of texts and names are left out: their wrong output is a text, too.
    for (const [place, type] of TYPES.filter((one) => one !== 25 && one !== 19).entries()) {
      for (const parse of parsersAt(place)) {
        const reset = setForAll(type, parse)
        for (const [name, answer] of Object.entries(await answersOf(hidden))) {
          if (answer !== 'STORE_FAILED')
            expect(answer, `${name}, type ${type}, ${parse}`).toEqual(right[name])
        }
        reset()
      }
    }
  })
})

it.skipIf(isQuick)("type parsers of a PGlite do not change a store's answers", async () => {
  const plain = await PGlite.create({ loadDataDir: await dataDir() })
  const parsers = Object.fromEntries(TYPES.map((type) => [type, () => 'x']))
  const altered = await PGlite.create({ loadDataDir: await dataDir(), parsers })
  for (const connection of [plain, altered]) {
    await (await openStore(connection, { keyring })).ingest(messages)
  }
  expect(await answersOf(altered)).toEqual(await answersOf(plain))
})
