// @each-database

import {
  generateKey,
  mqtt,
  openSdk,
  type SdkOptions,
  type StreamProvider,
  source,
  subscribe,
} from 'alvarium-sdk'
import { checkpoints } from 'alvarium-sdk/completeness'
import { openStore, type Store } from 'alvarium-sdk/store'
import { leased } from 'alvarium-sdk/trust'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startMosquitto } from '../../examples/broker/mosquitto.mjs'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { key } from '../support/sdk.js'
import { trustOf } from '../support/trust.js'
import { until } from '../support/until.js'
import { onEachDatabase } from './databases.js'
import { endingAt } from './ending.js'

let broker: Awaited<ReturnType<typeof startMosquitto>>
beforeAll(async () => {
  broker = await startMosquitto()
})
afterAll(() => broker?.stop())

let topics = 0
/** Returns a new topic, and a durable subscription to all messages and control messages there. */
function place() {
  const topic = `beside-${++topics}`
  const listening = (keyring: Parameters<typeof subscribe>[0]['keyring'], more: object = {}) => {
    const where = { url: broker.tcpUrl, topic: `${topic}/#`, clientId: topic, keyring, ...more }
    const bundles = subscribe(where)
    onTestFinished(() => bundles.close())
    return bundles
  }
  return { topic, listening }
}

/** Returns a stream that loses the third message. */
function lossy(stream: StreamProvider): StreamProvider {
  let count = 0
  return {
    connect: (context) => stream.connect?.(context),
    publish: async (message, options) => (++count === 3 ? undefined : stream.publish(message, options)),
    close: () => stream.close?.(),
  }
}

/** Publishes eight messages, of which one is lost, and a checkpoint for each four and at both ends. */
async function publish(topic: string, signingKey: SdkOptions['signingKey']): Promise<void> {
  const to = (name: string) => mqtt({ url: broker.tcpUrl, topic: name })
  const own = checkpoints({ stream: to(`${topic}/signers`), every: 4, everyMs: 3_600_000 })
  const stream = lossy(to(topic))
  const sdk = await openSdk({ signingKey, annotators: [source()], stream, checkpoints: own })
  for (let at = 0; at < 8; at++) await sdk.create(utf8(`payload ${at}`))
  await sdk.close()
}

const HOLE = [{ first: 2, last: 2, bundles: 1 }]

describe('a control message (checkpoint or lease) that a subscription delivers to a store', () => {
  onEachDatabase((database) => {
    const count = async (table: string) =>
      Number((await database.query(`select count(*) as count from alvarium.${table}`))[0]?.['count'])
    const stored = async (bundles: number, beside: number) =>
      (await count('bundle')) >= bundles && (await count('beside')) >= beside

    it('is stored, and the store can then name a lost message', async () => {
      const { topic, listening } = place()
      const { signingKey, verifyingKey, keyId } = generateKey()
      const store = await database.open({ keyring: [] })
      const bundles = listening([verifyingKey])
      await bundles.open()
      const ingesting = store.ingest(bundles)
      await publish(topic, signingKey)
      await until(() => stored(7, 4))
      await bundles.close()
      expect(await ingesting).toMatchObject({ bundles: 7, controlMessages: 4, copies: 0 })
      expect(bundles.skipped).toBe(0)
      expect((await store.missing()).signers).toMatchObject([
        { signer: keyId, verdict: 'incomplete', missing: HOLE, unlisted: [] },
      ])
      expect((await (await database.open({ keyring: [verifyingKey] })).audit()).differences).toEqual([])
    })

    // claim: store-7
    it('is attributed by store.missing() to the issuer of its leased key', async () => {
      const { topic, listening } = place()
      const keyring = await trustOf()
      const store = await database.open({ keyring })
      const bundles = listening(keyring, { leases: true })
      await bundles.open()
      const ingesting = store.ingest(bundles)
      const signers = () => mqtt({ url: broker.tcpUrl, topic: `${topic}/signers` })
      // Two runs, each with its own key, and two leases for each: the second lease states the log of the run.
      for (const _ of [1, 2]) await publish(topic, leased(key.signingKey, { stream: signers() }))
      await until(() => stored(14, 12))
      await bundles.close()
      expect(await ingesting).toMatchObject({
        bundles: 14,
        controlMessages: 12,
        rejected: {},
        quarantined: 0,
      })
      const { signers: reports } = await (await database.open({ keyring: [] })).missing()
      expect(reports).toMatchObject([
        { signer: key.keyId, name: 'gateway-1', verdict: 'incomplete', messages: 14, unlisted: [] },
      ])
      expect(reports[0]?.missing).toMatchObject([...HOLE, ...HOLE])
      expect((await store.audit()).differences).toEqual([])
    })

    // claim: store-6
    it.each(['before', 'after'])(
      'is redelivered to the next ingester if the first one ends %s the commit',
      async (when) => {
        const { topic, listening } = place()
        const { signingKey, verifyingKey } = generateKey()
        const store = await database.open({ keyring: [] })
        await listening([verifyingKey]).open()
        const dying = await openStore(endingAt(database, when), { keyring: [] })
        const first = listening([verifyingKey])
        const ending = failure(() => dying.ingest(first))
        await publish(topic, signingKey)
        expect((await ending).code).toBe('STORE_FAILED')
        await first.close()
        expect((await count('beside')) > 0).toBe(when === 'after')
        await ingestAll(store, listening([verifyingKey]), () => stored(7, 4))
        expect([await count('bundle'), await count('beside')]).toEqual([7, 4])
        expect((await store.missing()).signers).toMatchObject([{ verdict: 'incomplete', missing: HOLE }])
      },
    )
  })
})

async function ingestAll(store: Store, bundles: ReturnType<typeof subscribe>, done: () => Promise<boolean>) {
  const ingesting = store.ingest(bundles)
  await Promise.race([ingesting, until(done)])
  await bundles.close()
  return ingesting
}
