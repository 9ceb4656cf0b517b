// @node-only: above the connection, all is the same in every engine

import {
  type DedupOptions,
  generateKey,
  type MqttOptions,
  memory,
  mqtt,
  openDeadLetter,
  openSdk,
  type ReceivedBundle,
  type SubscriptionOptions,
  source,
  subscribe,
} from 'alvarium-sdk'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startMosquitto } from '../brokers/mosquitto.js'
import { utf8 } from '../support/bytes.js'
import { failure } from '../support/failure.js'
import { closing, next } from '../support/receiving.js'
import { key, keyring } from '../support/sdk.js'

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Returns an open subscription, an SDK that publishes to it, and a stream for other messages. */
async function parties(options: Partial<SubscriptionOptions> = {}, sending: Partial<MqttOptions> = {}) {
  const broker = await startMosquitto()
  onTestFinished(broker.stop)
  const where = { url: broker.url, topic: 't' }
  const again = ({ clientId = 'one', ...more }: Partial<SubscriptionOptions> = {}) =>
    closing(subscribe({ ...where, keyring, closeTimeoutMs: 100, ...options, ...more, clientId }))
  const bundles = again()
  await bundles.open()
  const raw = closing(mqtt({ ...where, ...sending }))
  await raw.connect()
  const stream = { publish: (message: Uint8Array) => raw.publish(message) }
  const sdk = closing(await openSdk({ signingKey: key.signingKey, annotators: [source()], stream }))
  const create = async (...texts: string[]) => {
    const keys = []
    for (const text of texts) keys.push((await sdk.create(utf8(text))).bundle.key)
    return keys
  }
  return { broker, where, again, bundles, raw, sdk, create }
}

const keysOf = (bundles: ReceivedBundle[]) => bundles.map(({ key }) => key)

describe("a subscription with ack: 'manual'", () => {
  // claim: verifying-11
  it('delivers up to `prefetch` bundles, which may be acknowledged in any order', async () => {
    const { bundles, again, create } = await parties({ ack: 'manual', prefetch: 3 })
    const keys = await create('a', 'b', 'c', 'd')
    const loop = bundles[Symbol.asyncIterator]()
    const [a, b, c] = (await next(loop, 3)) as [ReceivedBundle, ReceivedBundle, ReceivedBundle]
    const fourth = loop.next()
    expect(await Promise.race([fourth, sleep(100)])).toBeUndefined()
    await Promise.all([c.ack(), b.ack(), a.ack(), a.ack()])
    expect(keysOf([a, b, c, (await fourth).value as ReceivedBundle])).toEqual(keys)
    await bundles.close()
    // All but the fourth message were acknowledged.
    const [fifth] = await next(again()[Symbol.asyncIterator](), 1)
    expect(fifth).toMatchObject({ key: keys[3], dup: true })
  })

  it('sends an acknowledgement only after those of earlier messages', async () => {
    const { bundles, again, create } = await parties({ ack: 'manual' })
    const keys = await create('a', 'b')
    const [, b] = await next(bundles[Symbol.asyncIterator](), 2)
    await b?.ack()
    await bundles.close()
    expect(keysOf(await next(again()[Symbol.asyncIterator](), 2))).toEqual(keys)
  })
})

describe('nack() of a bundle', () => {
  // claim: verifying-15
  it('causes a redelivery of the bundle, with `dup`', async () => {
    const { bundles, create } = await parties()
    const keys = await create('a')
    const loop = bundles[Symbol.asyncIterator]()
    const [first] = await next(loop, 1)
    first?.nack()
    const [second] = await next(loop, 1)
    expect([first?.key, second?.key]).toEqual([...keys, ...keys])
    expect([first?.dup, second?.dup]).toEqual([false, true])
  })

  it('of a batch causes a redelivery of this bundle, without the bundles of the batch that were processed', async () => {
    const { bundles, sdk } = await parties()
    const receipts = await sdk.createMany(['a', 'b', 'c'].map(utf8))
    const loop = bundles[Symbol.asyncIterator]()
    const [, b] = await next(loop, 2)
    b?.nack()
    const rest = await next(loop, 2)
    expect(rest.map(({ index, key }) => [index, key])).toEqual([
      [2, receipts[2]?.bundle.key],
      [1, receipts[1]?.bundle.key],
    ])
  })
})

describe('a subscription with dedup', () => {
  // claim: verifying-13
  it('delivers a bundle only once if it was published twice, alone or in a batch', async () => {
    const { bundles, raw, sdk } = await parties({ dedup: {} })
    const { message } = await sdk.create(utf8('a'))
    const [batched] = await sdk.createMany(['b', 'c'].map(utf8))
    for (const copy of [message, batched?.message]) await raw.publish(copy as Uint8Array)
    const last = await sdk.create(utf8('d'))
    const received = await next(bundles[Symbol.asyncIterator](), 4)
    expect(received.map(({ index }) => index)).toEqual([0, 0, 1, 0])
    expect(received.at(-1)?.key).toBe(last.bundle.key)
  })

  it('marks a bundle as processed when the loop requests the next bundle', async () => {
    const marked: string[] = []
    const store = {
      has: async (id: string) => marked.includes(id),
      add: async (id: string) => marked.push(id),
    }
    const { bundles, create } = await parties({ dedup: { store } })
    await create('a', 'b')
    const loop = bundles[Symbol.asyncIterator]()
    const [a] = await next(loop, 1)
    expect(marked).toEqual([])
    await next(loop, 1)
    expect(marked).toEqual([a?.id])
  })

  it.each<[string, DedupOptions]>([
    ['was followed by more than `max` other bundles', { max: 1 }],
    ['was more than `ttlMs` ago', { ttlMs: 1 }],
  ])('delivers a bundle again if its first delivery %s', async (_, dedup) => {
    const { bundles, raw, sdk, create } = await parties({ dedup })
    const { message, bundle } = await sdk.create(utf8('a'))
    await create('b')
    const loop = bundles[Symbol.asyncIterator]()
    await next(loop, 2)
    await sleep(5)
    const third = loop.next()
    await raw.publish(message)
    expect((await third).value?.key).toBe(bundle.key)
  })

  it('settles a copy of a bundle in flight together with the bundle', async () => {
    const { bundles, raw, sdk, create } = await parties({ dedup: {}, ack: 'manual' })
    const { message, bundle } = await sdk.create(utf8('a'))
    await raw.publish(message)
    const [last] = await create('b')
    const loop = bundles[Symbol.asyncIterator]()
    const [a, b] = await next(loop, 2)
    expect([a?.key, b?.key]).toEqual([bundle.key, last])
    a?.nack()
    const [sameAgain] = await next(loop, 1)
    expect(sameAgain?.key).toBe(bundle.key)
    await Promise.all([sameAgain?.ack(), b?.ack()])
    const afterwards = await create('c')
    expect(keysOf(await next(loop, 1))).toEqual(afterwards)
  })

  it("does not acknowledge a bundle if the store cannot mark it, and ends the loop with the store's error", async () => {
    const full = new Error('disk full')
    const store = { has: () => false, add: () => Promise.reject(full) }
    const { bundles, again, create } = await parties({ dedup: { store } })
    const keys = await create('a')
    const loop = bundles[Symbol.asyncIterator]()
    await next(loop, 1)
    await expect(loop.next()).rejects.toMatchObject({ code: 'STORE_FAILED', cause: full })
    expect(keysOf(await next(again({ dedup: {} })[Symbol.asyncIterator](), 1))).toEqual(keys)
  })
})

describe('a subscription with a stream for dead letters', () => {
  // claim: verifying-16
  it('publishes to that stream each message that does not verify, before the message is acknowledged', async () => {
    const deadLetter = memory()
    const { bundles, raw, create } = await parties({ deadLetter })
    await raw.publish(utf8('hello'))
    const keys = await create('a')
    expect(keysOf(await next(bundles[Symbol.asyncIterator](), 1))).toEqual(keys)
    expect(deadLetter.messages.map((one) => openDeadLetter(one).message)).toEqual([utf8('hello')])
  })

  it('connects the stream when it connects, and closes the stream when it closes', async () => {
    const calls: string[] = []
    const deadLetter = {
      connect: () => calls.push('connect'),
      publish: () => calls.push('publish'),
      close: () => calls.push('close'),
    }
    const { bundles } = await parties({ deadLetter })
    bundles.addEventListener('offline', () => void calls.push('offline'))
    await bundles.close()
    // The stream must stay open for messages that arrive in the meantime.
    expect(calls).toEqual(['connect', 'offline', 'close'])
  })

  it('ends the loop if the stream rejects a dead letter, and the message is redelivered', async () => {
    const refused = () => Promise.reject(new Error('no room'))
    const { bundles, again, raw } = await parties({ deadLetter: { publish: refused } })
    await raw.publish(utf8('hello'))
    const { code, message } = await failure(() => bundles[Symbol.asyncIterator]().next())
    expect([code, message]).toEqual([
      'STREAM_FAILED',
      'deadLetter.publish: expected the message to be accepted, got: no room',
    ])
    const deadLetter = memory()
    const later = again({ deadLetter })
    const ended = later[Symbol.asyncIterator]().next()
    while (deadLetter.messages.length === 0) await sleep(5)
    await later.close()
    await ended
  })
})

it('a message that matches several filters is delivered only once if one filter covers the others', async () => {
  const { bundles, create } = await parties({ topic: ['t/#', 't', 't'] })
  const keys = await create('a', 'b')
  expect(keysOf(await next(bundles[Symbol.asyncIterator](), 2))).toEqual(keys)
})

it('a retained message has the property `retain`, and is delivered once to a durable subscription', async () => {
  const { again, bundles, create } = await parties({}, { retain: true })
  await bundles.close()
  const [kept] = await create('a')
  const fresh = again({ clientId: 'fresh' })
  const [first] = await next(fresh[Symbol.asyncIterator](), 1)
  expect([first?.key, first?.retain]).toEqual([kept, true])
  await first?.ack()
  await fresh.close()
  const later = again({ clientId: 'fresh' })
  await later.open()
  const [live] = await create('b')
  const [second] = await next(later[Symbol.asyncIterator](), 1)
  expect([second?.key, second?.retain]).toEqual([live, false])
})

it('messages that have arrived are verified in one call, and each gets its own verdict', async () => {
  const { where, bundles, raw, create } = await parties()
  const stranger = generateKey()
  const stream = mqtt(where)
  const other = closing(await openSdk({ signingKey: stranger.signingKey, annotators: [], stream }))
  const [a] = await create('a')
  await other.create(utf8('b'))
  await raw.publish(utf8('hello'))
  const [c] = await create('c')
  const codes: string[] = []
  bundles.addEventListener('rejected', ({ error }) => codes.push(error.code))
  expect(keysOf(await next(bundles[Symbol.asyncIterator](), 2))).toEqual([a, c])
  expect(codes).toEqual(['SIGNER_UNKNOWN', 'MESSAGE_MALFORMED'])
})
