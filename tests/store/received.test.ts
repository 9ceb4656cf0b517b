// @each-database

import { generateKey, source, toHex } from 'alvarium-sdk'
import type { BundleFilter, Store } from 'alvarium-sdk/store'
import { readTrust } from 'alvarium-sdk/trust'
import { expect, it } from 'vitest'
import { utf8 } from '../support/bytes.js'
import { key, opened, yes } from '../support/sdk.js'
import { keyText } from '../support/trust.js'
import { onEachDatabase } from './databases.js'

const thief = generateKey()
const policy = {
  signers: [
    { name: 'dev-6', keys: [keyText] },
    { name: 'dev-7', keys: [toHex(thief.verifyingKey)] },
  ],
}

/** Times of receipt of some messages among many that were received at 1. */
const TIMES = new Map<number, number | undefined>([
  [7, 2],
  [1_500, 3],
  [1_600, undefined],
  [2_400, undefined],
])

async function cameAt(signingKey: Uint8Array, times: readonly (number | undefined)[]) {
  const { sdk, stream } = await opened([source()], { signingKey })
  for (const at of times.keys()) await sdk.create(utf8(`${at}`))
  await sdk.close()
  return stream.messages.map((message, at) => ({ message, receivedAt: times[at] }))
}

/** Returns the times of receipt of all bundles of a query, page by page. */
async function timesOf(store: Store, filter: BundleFilter, limit = 2): Promise<(number | undefined)[]> {
  const times: (number | undefined)[] = []
  let after: string | undefined
  do {
    const page = await store.by(filter, { limit, after })
    times.push(...page.bundles.map(({ receivedAt }) => receivedAt))
    after = page.next
  } while (after !== undefined)
  return times
}

onEachDatabase((database) => {
  // claim: store-49
  it('store.by finds messages by signer and time of receipt, page by page, including messages whose time of receipt is unknown', async () => {
    const store = await database.open({ keyring: await readTrust(policy) })
    await store.ingest(await cameAt(key.signingKey, [10, 20, 30]))
    await store.ingest(await cameAt(thief.signingKey, [11, 40, 21, undefined, 31, 12, 41]))
    const received = (from?: number, until?: number) => ({ received: { from, until } })
    expect(await timesOf(store, { signer: 'dev-7', ...received(21) })).toEqual([40, 21, 31, 41])
    expect(await timesOf(store, { signer: 'dev-7', ...received(21, 41) })).toEqual([40, 21, 31])
    expect(await timesOf(store, { signer: 'dev-7', ...received(undefined, 12) })).toEqual([11])
    expect(await timesOf(store, received(30))).toEqual([30, 40, 31, 41])
    expect(await timesOf(store, { kind: 'src', ...received(20, 31) })).toEqual([20, 30, 21])
    expect(await timesOf(store, { signer: 'dev-7', ...received(20.5, 21.5) })).toEqual([21])
    expect(await timesOf(store, { signer: 'dev-7', ...received(42) })).toEqual([])
    expect(await timesOf(store, { signer: 'dev-7', received: 'unknown' })).toEqual([undefined])
    expect(await timesOf(store, { signer: 'dev-7', received: { from: new Date(0) } })).not.toContain(
      undefined,
    )
    expect(await timesOf(store, { signer: 'dev-6', received: 'unknown' })).toEqual([])
    await expect(store.by({ received: { since: 1 } as never })).rejects.toThrow('filter.received.since')
    await expect(store.by({ received: { from: 'Tuesday' as never } })).rejects.toThrow('filter.received')
  })

  it('store.by finds messages by time of receipt, including messages that an ingester of an earlier version stored without `arrival` rows', async () => {
    const store = await database.open({ keyring: await readTrust(policy) })
    const { sdk, stream } = await opened([yes('ok')])
    for (let at = 0; at < 2_500; at++) await sdk.create(utf8(`${at}`))
    await sdk.close()
    const all = stream.messages.map((message, at) => ({
      message,
      receivedAt: TIMES.has(at) ? TIMES.get(at) : 1,
    }))
    await store.ingest(all.slice(0, 1_100))
    // An ingester of an earlier version adds no blocks.
    await database.query('delete from alvarium.arrival')
    expect(await timesOf(store, { received: { from: 2 } })).toEqual([2])
    await store.ingest(all.slice(1_100))
    const columns = ['block', 'earliest', 'latest', 'unknown'] as const
    const blocks = await database.query('select * from alvarium.arrival order by block')
    expect(blocks.map((row) => columns.map((name) => Number(row[name])))).toEqual([
      [0, 1, 2, 0],
      [1, 1, 3, 1],
    ])
    expect(await timesOf(store, { received: 'unknown' })).toEqual([undefined, undefined])
    expect(await timesOf(store, { received: { from: 2 } })).toEqual([2, 3])
    expect(await timesOf(store, { received: { from: 3 } })).toEqual([3])
    expect((await store.audit({ itself: true })).differences).toEqual([])
    for (const altered of ['latest = 1, unknown = 1', 'latest = 3, unknown = 0']) {
      await database.query(`update alvarium.arrival set ${altered} where block = 1`)
      expect((await store.audit({ itself: true })).differences).toMatchObject([
        { table: 'arrival', row: '1', what: 'times' },
      ])
    }
    await database.query('update alvarium.arrival set unknown = 1 where block = 1')
    // A block behind the end would hide the newest entries.
    await database.query('insert into alvarium.arrival (block, unknown) values (9, 0)')
    const { differences } = await store.audit({ itself: true })
    expect(differences.map(({ row, what }) => `${row} ${what}`)).toEqual(['2 times', '9 row'])
  })
})
