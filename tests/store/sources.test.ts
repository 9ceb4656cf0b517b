// @each-database

import { createHash } from 'node:crypto'
import {
  Keyring,
  keyOf,
  mqtt,
  openSdk,
  signBytes,
  source,
  subscribe,
  toHex,
  verifyClassic,
} from 'alvarium-sdk'
import { BundleGraph, type PayloadName, readPolicy, scorePayload } from 'alvarium-sdk/score'
import type { Page } from 'alvarium-sdk/store'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { TestBroker } from '../brokers/brokers.js'
import { startMosquitto } from '../brokers/mosquitto.js'
import { base64, utf8 } from '../support/bytes.js'
import { caseOf, DIALECTS, everyCase, keyringOf, listOf, signerOf, withList } from '../support/classic.js'
import { closing } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'
import { classicCases } from '../support/vectors.js'
import { onEachDatabase } from './databases.js'

let broker: TestBroker
beforeAll(async () => {
  broker = await startMosquitto()
})
afterAll(() => broker.stop())

const payloads = (count: number) => Array.from({ length: count }, (_, at) => utf8(`reading ${at}`))

/** Publishes payloads, some alone and some in batches. */
async function publish(
  topic: string,
  some: readonly Uint8Array[],
  signingKey = key.signingKey,
): Promise<void> {
  const sdk = await openSdk({ signingKey, annotators: [source()], stream: mqtt({ url: broker.url, topic }) })
  const half = some.length >> 1
  await sdk.createMany(some.slice(0, half))
  for (const payload of some.slice(half)) await sdk.create(payload)
  await sdk.close()
}

const annotations = (
  bundles: readonly { annotations: readonly { kind: string; isSatisfied: boolean }[] }[],
) => bundles.map(({ annotations: [first] }) => `${first?.kind} ${first?.isSatisfied}`)
/** Writes a message as Go's SDK does, about any payload. Its ULID is always the same, because no other SDK reads it. */
function classicMessage(said: { key: string; isSatisfied?: boolean }): Uint8Array {
  const about = { id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', key: said.key, hash: 'sha256' }
  const where = { host: 'edge-7', tag: 'v1', layer: 'app', kind: 'src' }
  const { isSatisfied = true } = said
  const unsigned = JSON.stringify({ ...about, ...where, isSatisfied, timestamp: '2026-11-20T10:00:00Z' })
  const signature = toHex(signBytes(key.signingKey, utf8(unsigned)))
  const item = unsigned.replace('"isSatisfied"', `"signature":"${signature}","isSatisfied"`)
  const content = base64(utf8(`{"items":[${item}]}`))
  return utf8(JSON.stringify({ action: 'create', messageType: 'contracts.AnnotationList', content }))
}

/** FORMAT.md, "Logs of stores". Python's annotations have no tag and no layer. */
const MEMBERS = ['id', 'key', 'hash', 'host', 'tag', 'layer', 'kind', 'isSatisfied', 'timestamp']
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const classicKeys = new Keyring(DIALECTS.flatMap(keyringOf))

onEachDatabase((database, isServer) => {
  // claim: store-15
  it('a store ingests the verified bundles of a subscription, and acknowledges those that are stored', async () => {
    const topic = `store-${isServer}`
    const store = await database.open()
    const clientId = `store-${crypto.randomUUID()}`
    const where = { url: broker.url, topic, clientId, keyring, prefetch: 1_000, closeTimeoutMs: 3_600_000 }
    const first = closing(subscribe(where))
    await first.open()
    const done = store.ingest(first)
    await publish(topic, payloads(300))
    await expect.poll(async () => (await store.about(payloads(300).at(-1) as Uint8Array)).bundles).toBe(1)
    await first.close()
    expect(await done).toMatchObject({ bundles: 300, copies: 0 })
    // All earlier messages were acknowledged, so the session receives only new ones.
    const second = closing(subscribe(where))
    await second.open()
    const again = store.ingest(second)
    await publish(topic, [utf8('another')])
    await expect.poll(async () => (await store.about(utf8('another'))).bundles).toBe(1)
    await second.close()
    expect(await again).toMatchObject({ bundles: 1, copies: 0 })
  })

  it('a store quarantines messages that a subscription cannot verify yet, and stores them later', async () => {
    const topic = `store-later-${isServer}`
    const keys = new Keyring()
    const store = await database.open({ keyring: keys })
    const where = { url: broker.url, topic, durable: false, keyring: keys, prefetch: 1_000 } as const
    const bundles = closing(subscribe({ ...where, deadLetter: store.deadLetters() }))
    await bundles.open()
    const done = store.ingest(bundles)
    const stream = mqtt({ url: broker.url, topic })
    await stream.connect()
    await stream.publish(utf8('no message'), {})
    await stream.close()
    await publish(topic, payloads(20))
    await expect.poll(async () => [...(await store.stats()).quarantined]).toEqual([['SIGNER_UNKNOWN', 11]])
    await bundles.close()
    expect(await done).toMatchObject({ bundles: 0, quarantined: 11, rejected: { MESSAGE_MALFORMED: 1 } })
    keys.add(key.verifyingKey)
    expect(await store.retryQuarantine()).toMatchObject({ bundles: 20 })
  })

  // claim: store-23
  it.each(DIALECTS)(
    'a store ingests the verified annotations of %s messages as bundles without an action',
    async (dialect) => {
      const store = await database.open({ keyring: classicKeys, classic: true })
      let stored = 0
      let last: string | undefined
      for (const { message, annotations: some } of classicCases(dialect).filter(
        (one) => one.annotations.length > 0,
      )) {
        const { bundles, copies } = await store.ingest([utf8(message)])
        expect(bundles + copies).toBe(some.length)
        expect(await store.ingest([utf8(message)])).toMatchObject({ bundles: 0, copies: some.length })
        const { bundles: found }: Page = await store.by({ signer: signerOf(dialect) }, { after: last })
        last = found.length > 0 ? `${found.at(-1)?.seq}` : last
        stored += bundles
        if (copies === 0)
          expect(annotations(found)).toEqual(some.map(({ kind, isSatisfied }) => `${kind} ${isSatisfied}`))
        for (const bundle of found) expect(bundle).not.toHaveProperty('action')
        for (const { key: name, hash } of some)
          expect((await store.about({ key: name, hash })).bundles).toBeGreaterThan(0)
      }
      expect(stored).toBeGreaterThan(10)
    },
  )

  // claim: format-41
  it.each(DIALECTS)(
    "a store's log contains the ids of %s annotations that FORMAT.md specifies",
    async (dialect) => {
      const store = await database.open({ keyring: classicKeys, classic: true })
      const one = classicCases(dialect).find(({ annotations: some }) => some.length > 1)
      await store.ingest([utf8(one?.message ?? '')])
      const items: Record<string, unknown>[] = JSON.parse(listOf(one?.message ?? '')).items
      const entries = items.map((item) => {
        const said = MEMBERS.map((name) => item[name] ?? '')
        return sha256(JSON.stringify(['alvarium-sdk classic annotation 1', signerOf(dialect), ...said]))
      })
      const { bundles } = await store.by({ signer: signerOf(dialect) })
      expect(bundles.map(({ id }) => id)).toEqual(entries)
    },
  )

  // claim: store-24
  it('a store follows the unsigned edges of a classic mutate only with the option implied', async () => {
    const store = await database.open({ keyring: classicKeys, classic: true })
    const one = everyCase
      .map(([, , found]) => found)
      .find(({ action, annotations: some }) => action === 'mutate' && some.length > 1)
    await store.ingest([utf8(one?.message ?? '')])
    const [before, after] = one?.annotations.map(({ key: name, hash }) => ({ key: name, hash })) ?? []
    expect((await store.lineage(after as never)).payloads).toHaveLength(1)
    const { payloads: found } = await store.lineage(after as never, { implied: true })
    expect(found.map(({ key: name, depth }) => `${depth} ${name}`)).toEqual([
      `0 ${after?.key.toUpperCase()}`,
      `1 ${before?.key.toUpperCase()}`,
    ])
  })

  it('a store scores the payload of a classic mutate only by annotations about that payload, because the inputs of a classic mutate are unsigned', async () => {
    const trusted = new Keyring([...DIALECTS.flatMap(keyringOf), key.verifyingKey])
    const store = await database.open({ keyring: trusted, classic: true })
    const one = everyCase
      .map(([, , found]) => found)
      .find(({ action, annotations: some }) => action === 'mutate' && some.length > 1)
    const [before = '', after = ''] = one?.annotations.map(({ key: name }) => name) ?? []
    await store.ingest([utf8(one?.message ?? ''), classicMessage({ key: before, isSatisfied: false })])
    // Each payload has two answers, one of them satisfied. An unsigned edge of the mutate does not count, or the
    // second score would be a quarter.
    const policy = readPolicy({ version: 1, ancestors: 'product' })
    for (const name of [before, after])
      expect((await store.score({ key: name, hash: 'sha256' }, { policy })).score).toBe(0.5)
  })

  it('a store stores an annotation once, even if it arrives in two different messages', async () => {
    const store = await database.open({ keyring: classicKeys, classic: true })
    const { message, annotations: some } = caseOf(
      'go',
      everyCase.find(([, dialect, one]) => dialect === 'go' && one.annotations.length > 1)?.[2].name ?? '',
    )
    await store.ingest([utf8(message)])
    const others = [
      utf8(message.replace(/"action":"\w+"/, '"action":"transit"')),
      withList(message, (list) => list.replace(/\},\{/, '}, {')),
    ]
    const done = await store.ingest(others)
    expect(done.bundles).toBe(0)
    expect(done.copies).toBeGreaterThanOrEqual(some.length)
  })

  it('a store scores classic annotations like a BundleGraph, even with equal ids, or with upper-case letters in a payload’s digest', async () => {
    const store = await database.open({ classic: true })
    const fabric = new BundleGraph()
    const policy = readPolicy({ version: 1 })
    const score = async (payload: PayloadName) => {
      const { key, hash, score } = await store.score(payload, { policy })
      expect(scorePayload(fabric.scoringInput(payload), policy)).toMatchObject({ key, hash, score })
      return score
    }
    const add = async (...some: Parameters<typeof classicMessage>[0][]) => {
      for (const one of some) {
        const message = classicMessage(one)
        fabric.addClassic(await verifyClassic(message, { keyring }))
        await store.ingest([message])
      }
    }
    const [digest, other] = ['AB'.repeat(32), 'CD'.repeat(32)]
    await add({ key: digest, isSatisfied: true }, { key: digest, isSatisfied: false })
    expect(await score({ key: digest, hash: 'sha256' })).toBe(0)
    await add({ key: other.toLowerCase() }, { key: 'meter-7' })
    for (const name of [other, other.toLowerCase(), 'meter-7']) {
      expect(await score({ key: name, hash: 'sha256' })).toBe(1)
    }
    expect(await score({ key: 'METER-7', hash: 'sha256' })).toBe(0)
  })

  it('a store refuses classic messages without the option classic', async () => {
    const store = await database.open({ keyring: classicKeys })
    const { message } = caseOf('go', everyCase[0]?.[2].name ?? '')
    expect(await store.ingest([utf8(message)])).toMatchObject({
      bundles: 0,
      rejected: { MESSAGE_MALFORMED: 1 },
    })
    expect((await store.about({ key: keyOf(utf8('a')), hash: 'sha256' })).bundles).toBe(0)
  })
})
