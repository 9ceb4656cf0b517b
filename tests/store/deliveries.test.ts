// @each-database

import { type ReceivedBundle, verifyBatch } from 'alvarium-sdk'
import type { Store } from 'alvarium-sdk/store'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { patient } from '../support/batches.js'
import { utf8 } from '../support/bytes.js'
import { keyring, opened, yes } from '../support/sdk.js'
import { onEachDatabase, type TestDatabase } from './databases.js'

/** Bundles in each message. */
const SIZES = [3, 1, 2, 1]

/** Delivery of a bundle. A redelivered message has its own copy of the bytes. */
interface Delivery {
  readonly message: number
  readonly index: number
  readonly copy: number
}

/** Work of an ingester: the deliveries of each of its transactions. */
interface Round {
  readonly ingester: number
  readonly groups: readonly (readonly Delivery[])[]
}

async function messageOf(count: number): Promise<Uint8Array> {
  const { sdk, stream } = await opened([yes('src')], { batch: { maxBundles: count, ...patient } })
  await sdk.createMany(Array.from({ length: count }, (_, at) => utf8(`payload ${at}`)))
  await sdk.close()
  return stream.messages[0] as Uint8Array
}

/** Returns a function from a delivery to its bundle, with the delivery's copy of the message. */
async function deliverable(message: Uint8Array) {
  const bundles = await verifyBatch(message, { keyring })
  const copies = [message, message.slice(), message.slice()]
  const arrival = { format: 'bundle', topic: 't', retain: false, dup: false, receivedAt: 0 } as const
  const [ack, nack] = [async () => undefined, () => undefined]
  return ({ index, copy }: Delivery): ReceivedBundle => ({
    ...(bundles[index] as (typeof bundles)[number]),
    ...arrival,
    message: copies[copy] as Uint8Array,
    index,
    ack,
    nack,
  })
}

const delivery = fc
  .record({ message: fc.nat(SIZES.length - 1), index: fc.nat(2), copy: fc.nat(2) })
  .map((one): Delivery => ({ ...one, index: one.index % (SIZES[one.message] as number) }))
const group = fc.array(delivery, { minLength: 1, maxLength: 8 })
const round = (ingesters: number): fc.Arbitrary<Round> =>
  fc.record({ ingester: fc.nat(ingesters - 1), groups: fc.array(group, { minLength: 1, maxLength: 4 }) })

async function delivered(stores: readonly Store[], rounds: readonly Round[]): Promise<Uint8Array[]> {
  const messages = await Promise.all(SIZES.map(messageOf))
  const bundles = await Promise.all(messages.map(deliverable))
  const bundleOf = (one: Delivery) => (bundles[one.message] as (typeof bundles)[number])(one)
  await Promise.all(
    rounds.map(({ ingester, groups }) =>
      (stores[ingester] as Store).ingest({
        async *groups() {
          for (const some of groups) {
            yield { bundles: some.map(bundleOf), ack: async () => undefined, nack: () => undefined }
          }
        },
      }),
    ),
  )
  return messages
}

const STORED = `
  select convert_from(message, 'UTF8') as message, array_agg(place order by place) as places
  from alvarium.evidence left join alvarium.bundle on bundle.evidence = evidence.seq
  where evidence.seq >= $1 group by evidence.seq`

/** Returns each stored message with the places of its bundles, sorted. */
async function storedSince(database: TestDatabase, from: number): Promise<string[]> {
  const rows = await database.query(STORED, [from])
  return rows.map(({ message, places }) => `${message} ${places}`).sort()
}

function expected(messages: readonly Uint8Array[], rounds: readonly Round[]): string[] {
  const all = rounds.flatMap(({ groups }) => groups.flat())
  return messages
    .flatMap((message, at) => {
      const places = new Set(all.filter((one) => one.message === at).map(({ index }) => index))
      return places.size === 0 ? [] : [`${new TextDecoder().decode(message)} ${[...places].sort()}`]
    })
    .sort()
}

onEachDatabase((database, isServer) => {
  it('a store has each bundle once, with its message, whatever the order and grouping of deliveries', async () => {
    const stores = await Promise.all(Array.from({ length: isServer ? 2 : 1 }, () => database.open()))
    const next = async () =>
      Number((await database.query('select evidence from alvarium.head'))[0]?.['evidence'])
    await fc.assert(
      fc.asyncProperty(fc.array(round(stores.length), { minLength: 1, maxLength: 3 }), async (rounds) => {
        const from = await next()
        const messages = await delivered(stores, rounds)
        expect(await storedSince(database, from)).toEqual(expected(messages, rounds))
      }),
      { numRuns: 40 },
    )
  })

  it('the index evidence_batches of a store contains only batches', async () => {
    const store = await database.open()
    const { sdk, stream } = await opened([yes('src')])
    await sdk.create(utf8('a'))
    await sdk.transit(utf8('a'))
    await sdk.close()
    await store.ingest([await messageOf(2), ...stream.messages])
    const [index] = await database.query(
      "select pg_get_expr(indpred, indrelid) as has from pg_index where indexrelid = 'alvarium.evidence_batches'::regclass",
    )
    const [counted] = await database.query(
      `select count(*) filter (where ${index?.['has']})::integer as indexed, count(*)::integer as all from alvarium.evidence`,
    )
    expect(counted).toEqual({ indexed: 1, all: 3 })
  })
})
