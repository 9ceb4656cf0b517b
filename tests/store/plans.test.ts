import { generateKey, keyIdOf, source, toHex } from 'alvarium-sdk'
import { readPolicy } from 'alvarium-sdk/score'
import { type Connection, openStore, type Store } from 'alvarium-sdk/store'
import { readTrust } from 'alvarium-sdk/trust'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { loggedSdk } from '../support/checkpoints.js'
import { opened } from '../support/sdk.js'
import { startOneConnection } from './databases.js'

const ran: (readonly [text: string, params: unknown[]])[] = []
let server: Awaited<ReturnType<typeof startOneConnection>>
let database: Connection
let store: Store
let keyId: string
const rare = { kind: 'src', tag: 'rare', host: 'edge-rare', name: 'rare-signer' }
/** Times of receipt of the rare signer's messages, and of all others. */
const [CAME, OTHERS_CAME] = [2_000, 1_000]

/** Very many bundles of other signers, and three of a signer with rare words only. */
beforeAll(async () => {
  server = await startOneConnection()
  database = server.where
  const { signingKey, verifyingKey } = generateKey()
  const { sdk, messages, notes } = await loggedSdk(
    { signingKey, tag: rare.tag, host: rare.host, annotators: [source()] },
    { every: 3 },
  )
  keyId = keyIdOf(verifyingKey)
  for (const text of ['a', 'b', 'c']) await sdk.create(utf8(text))
  await sdk.close()
  const query = (text: string, params: unknown[] = []) => {
    ran.push([text, params])
    return database.query(text, params)
  }
  const keyring = await readTrust({ signers: [{ name: rare.name, keys: [toHex(verifyingKey)] }] })
  store = await openStore({ query }, { keyring })
  const received = [...messages, ...notes].map((message) => ({ message, receivedAt: CAME }))
  await store.ingest(received)
  for (const statement of OTHERS) await database.query(statement)
})
afterAll(async () => {
  await store?.close()
  await server?.stop()
})

/** A signer, a host, a layer, and lists that nearly all bundles have. */
const OTHERS = [
  "insert into alvarium.word select 1000 + n, convert_to('common ' || n, 'UTF8') from generate_series(0, 3) as n",
  "insert into alvarium.list select 1000 + n, sha256(convert_to('common ' || n, 'UTF8')), array[1000 + n] from generate_series(0, 1) as n",
  `insert into alvarium.evidence (seq, received, digest, message)
   select n, ${OTHERS_CAME}, sha256(int8send(n)), '{}' from generate_series(1000, 60000) as n`,
  `insert into alvarium.bundle (seq, evidence, datum, at, signer, signed_by, host, layer, kinds, tags, place, action, ok)
   select n, n, n, n, 1000, 1003, 1001, 1002, 1000, 1001, 0, 0, '\\x01' from generate_series(1000, 60000) as n`,
  `insert into alvarium.arrival (block, earliest, latest, unknown)
   select block, ${OTHERS_CAME}, case when block = 0 then ${CAME} else ${OTHERS_CAME} end, 0 from generate_series(0, 57) as block`,
  'vacuum analyze',
]

/** Returns the tables that a question reads by an index, with its name; and the tables that it scans. */
async function plansOf(ask: () => Promise<unknown>, table = 'bundle'): Promise<string> {
  ran.length = 0
  await ask()
  const plans: string[] = []
  // Statements that a store sends together pass ids of payloads to each other in these settings.
  await database.query(
    "select set_config('alvarium.numbers', '{0}', false), set_config('alvarium.own', '0', false)",
  )
  for (const [text, params] of ran.filter(([one]) => one.includes(`from alvarium.${table}`))) {
    const { rows } = await database.query(`explain ${text}`, params)
    plans.push(...rows.map((row) => String(Reflect.get(row as object, 'QUERY PLAN'))))
  }
  return plans.join('\n')
}

it.each([
  ['tag', { tag: rare.tag }, 'bundle_tags'],
  ['host', { host: rare.host }, 'bundle_host'],
  ['kind', { kind: rare.kind }, 'bundle_kinds'],
] as const)(
  'a query for a rare %s uses an index, and does not scan all bundles',
  async (_, filter, index) => {
    const plan = await plansOf(async () => expect((await store.by(filter)).bundles).toHaveLength(3))
    expect(plan).toContain(`using ${index} on bundle`)
    expect(plan).not.toMatch(/Seq Scan on bundle|bundle_pkey on bundle(?! bundle_1)/)
  },
)

it.each([
  ['name', () => ({ signer: rare.name }), 'bundle_signed_by'],
  ['key id', () => ({ signer: keyId }), 'bundle_signer'],
] as const)('a query for a signer by %s and time of receipt uses an index', async (_, by, index) => {
  for (const filter of [by(), { ...by(), received: { from: CAME } }]) {
    const plan = await plansOf(async () => expect((await store.by(filter)).bundles).toHaveLength(3))
    expect(plan).toContain(`using ${index} on bundle`)
    expect(plan).not.toMatch(/Seq Scan on (bundle|evidence)|bundle_pkey on bundle(?! bundle_1)/)
  }
})

it.each([
  ['about', () => store.about(utf8('a'))],
  ['score', () => store.score(utf8('a'))],
  ['history', () => store.history(utf8('a'))],
] as const)('store.%s finds the bundles of a payload through an index', async (_, ask) => {
  const plan = await plansOf(ask)
  expect(plan).toMatch(/(using|on) bundle_datum\b/)
  expect(plan).not.toMatch(/Seq Scan on bundle|bundle_pkey/)
})

it('a query by time of receipt reads only those blocks of the log that can contain the time', async () => {
  const plan = await plansOf(async () =>
    expect((await store.by({ received: { from: CAME } })).bundles).toHaveLength(3),
  )
  expect(plan).not.toMatch(/Seq Scan on (bundle|evidence)/)
  const [text = '', params] = ran.find(([one]) => one.includes('from alvarium.bundle')) ?? []
  expect([text.includes('range'), params?.slice(0, 2)]).toEqual([
    true,
    ['{0,59392}', `{1023,${Number.MAX_SAFE_INTEGER}}`],
  ])
})

it('store.missing finds the messages of a rare signer through an index', async () => {
  const plan = await plansOf(async () =>
    expect((await store.missing()).signers).toMatchObject([{ messages: 3 }]),
  )
  expect(plan).toContain('using bundle_signer on bundle')
  expect(plan).not.toMatch(/Seq Scan on bundle|bundle_pkey/)
})

it("store.score finds the annotations of a payload's host and build through an index", async () => {
  const policy = readPolicy({ version: 1, layers: 'stack' })
  const plan = await plansOf(() => store.score(utf8('a'), { policy }))
  expect(plan).toContain('using bundle_stack on bundle')
  expect(plan).not.toMatch(/Seq Scan on bundle|bundle_pkey/)
})

it("an ingest of an unknown signer's message does not scan the whole quarantine", async () => {
  await database.query(
    `
    insert into alvarium.quarantine (seq, since, size, code, reason, digest, message)
    select n, $1::bigint, 1, 'SIGNER_UNKNOWN', '', sha256(int8send(n)), 'x'
    from generate_series(1000, 30000) as n`,
    [Date.now()],
  )
  await database.query('analyze alvarium.quarantine')
  const { sdk, stream } = await opened([source()], { signingKey: generateKey().signingKey })
  await sdk.create(utf8('a'))
  await sdk.close()
  const plan = await plansOf(
    async () => expect(await store.ingest(stream.messages)).toMatchObject({ quarantined: 1 }),
    'quarantine',
  )
  expect(plan).toContain('using quarantine_pkey')
  expect(plan).not.toContain('Seq Scan on quarantine')
})

it('the export of one payload with 201 messages queries the table of bundles once', async () => {
  for (const statement of MORE) await database.query(statement)
  ran.length = 0
  let exported = 0
  for await (const _ of store.export(utf8('a'))) exported++
  expect(exported).toBe(201)
  expect(ran.filter(([text]) => text.includes('from alvarium.bundle'))).toHaveLength(1)
})

/** 200 more messages about the payload of the first one. */
const MORE = [
  `insert into alvarium.evidence (seq, received, digest, message)
   select n, received, sha256(int8send(n)), message from alvarium.evidence, generate_series(100000, 100199) as n
   where seq = 0`,
  `insert into alvarium.bundle (seq, evidence, datum, at, signer, host, layer, kinds, tags, place, action, ok)
   select n, n, datum, at, signer, host, layer, kinds, tags, place, action, ok
   from alvarium.bundle, generate_series(100000, 100199) as n where seq = 0`,
]
